import { setTimeout as sleep } from 'node:timers/promises';
import type { Node, Reply } from './node.ts';

/** How long an attempt waits for its response. */
const PATIENCE_MS = 2_000;
/** The pause after an attempt without a response. */
const PAUSE_MS = 200;
/** A longer `Retry-After` is not waited for: the limit of a client is raised again during the window. */
const MAX_PAUSE_MS = 2_000;
/** After this time a request counts as refused. A key whose node has died is taken over after a minute. */
const GIVE_UP_MS = 300_000;

/** A request of a partner. */
interface PartnerRequest {
  method?: 'GET' | 'POST';
  path: string;
  body?: object;
  /** The `Idempotency-Key` of all attempts. */
  key?: string;
  /** The `Accept-Language`. */
  language?: string;
  /** The number of the node that gets the first attempt; the next ones go to the nodes after it. */
  turn: number;
  /** The first attempt is cut off after this time, so that its response may be lost. */
  cutOffMs?: number;
}

/** A partner that sends each request to one node after the other until it is answered, as docs/retrying.md teaches. */
export class PatientSender {
  readonly #nodes: () => readonly Node[];
  readonly #token: string;
  /** Attempts that were repeated, by status; `none` without a response. */
  readonly repeated = new Map<string, number>();

  /** @param nodes the nodes that a load balancer would select. */
  constructor(nodes: () => readonly Node[], token: string) {
    this.#nodes = nodes;
    this.#token = token;
  }

  /** Returns the response; undefined if there was none for a long time. */
  async send(request: PartnerRequest): Promise<Reply | undefined> {
    const giveUpMs = performance.now() + GIVE_UP_MS;
    for (let attempt = 0; performance.now() < giveUpMs; attempt++) {
      const { cutOffMs = PATIENCE_MS } = attempt === 0 ? request : {};
      const reply = await this.attempt(request, attempt, cutOffMs);
      if (!isWorthRepeating(reply)) return reply;
      const cause = reply.status === 0 ? 'none' : String(reply.status);
      this.repeated.set(cause, (this.repeated.get(cause) ?? 0) + 1);
      await sleep(pauseMs(reply));
    }
    return undefined;
  }

  /** Sends a request once. */
  attempt(
    { method = 'POST', path, turn, ...parts }: PartnerRequest,
    attempt = 0,
    timeoutMs = PATIENCE_MS,
  ): Promise<Reply> {
    const nodes = this.#nodes();
    const node = nodes[(turn + attempt) % nodes.length]!;
    const { body, key, language } = parts;
    return node.send(method, path, {
      ...{ token: this.#token, timeoutMs, body },
      ...(key !== undefined && { key }),
      ...(language !== undefined && { language }),
    });
  }
}

/** Whether docs/retrying.md tells a client to send the same request again. */
function isWorthRepeating({ status, retryAfter }: Reply): boolean {
  return status === 0 || ([409, 429, 503].includes(status) && retryAfter !== undefined);
}

function pauseMs({ retryAfter }: Reply): number {
  return retryAfter === undefined ? PAUSE_MS : Math.min(1_000 * Number(retryAfter), MAX_PAUSE_MS);
}
