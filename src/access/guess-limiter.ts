import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '../kernel/clock.ts';
import { FixedWindows, type Windows } from './fixed-windows.ts';

/** Failures a minute that one address may have with one client id (decisions §2). */
const FAILURES_PER_CLIENT = 10;
/** Failures a minute that one address may have in all. */
const FAILURES_PER_ADDRESS = 300;

/** Some 20 MB at the most, reached only by a flood from hundreds of addresses. */
const MAX_KEYS = 100_000;

/** Where the two kinds of failures are counted. */
export interface GuessWindows {
  byClient: Windows;
  byAddress: Windows;
}

/**
 * Slows down the guessing of secrets. It is told of failures alone, and asked only after one: a
 * right secret never meets it, so nobody can lock a client out by failing in its name.
 */
export class GuessLimiter {
  readonly #byClient: Windows;
  readonly #byAddress: Windows;

  /** @param deps.windows in memory of its own by default, for 100,000 keys of each kind. */
  constructor(deps: { clock: Clock; windows?: GuessWindows }) {
    const windows = () => new FixedWindows({ clock: deps.clock, maxKeys: MAX_KEYS });
    this.#byClient = deps.windows?.byClient ?? windows();
    this.#byAddress = deps.windows?.byAddress ?? windows();
  }

  /**
   * Counts a failure. Undefined while the limits allow it, else the whole seconds to wait; a failure
   * over the limit is not counted. Whether the client exists makes no difference.
   */
  fail(address: string, clientId: string): number | undefined {
    const byAddress = networkOf(address);
    // Hashed, because the id is whatever a stranger sent, as long as a body may be.
    const byClient = createHash('sha256').update(`${byAddress} ${clientId}`).digest('base64');
    const waits: number[] = [];
    if (this.#byClient.count(byClient) >= FAILURES_PER_CLIENT) {
      waits.push(this.#byClient.resetSeconds(byClient));
    }
    if (this.#byAddress.count(byAddress) >= FAILURES_PER_ADDRESS) {
      waits.push(this.#byAddress.resetSeconds(byAddress));
    }
    if (waits.length > 0) {
      return Math.max(...waits);
    }
    // Each looks again as it counts: another thread may have come in between.
    const counted = [
      this.#byClient.take(byClient, FAILURES_PER_CLIENT),
      this.#byAddress.take(byAddress, FAILURES_PER_ADDRESS),
    ];
    const refused = counted.filter(({ allowed }) => !allowed);
    return refused.length === 0
      ? undefined
      : Math.max(...refused.map(({ resetSeconds }) => resetSeconds));
  }
}

/**
 * What counts as one address: an IPv4 address (mapped into IPv6 or not), or the /64 of an IPv6
 * address, for that is the least that anybody is given.
 */
export function networkOf(address: string): string {
  const bare = address.split('%', 1)[0]!;
  if (!isIPv6(bare)) {
    return address;
  }
  const groups = expand(bare);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high, low] = [groups[6]!, groups[7]!];
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function expand(address: string): number[] {
  // The URL parser writes a dotted IPv4 tail in hexadecimal.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head, tail] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const missing = 8 - head!.length - (tail?.length ?? 0);
  return [...head!, ...Array<string>(tail ? missing : 0).fill('0'), ...(tail ?? [])].map((group) =>
    Number.parseInt(group, 16),
  );
}
