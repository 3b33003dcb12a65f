import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { counted } from '../../../common/text/shown.ts';
import type { RateLimiter } from '../../../engines/limits/rate-limiter.ts';
import type { LoginThrottle } from '../../access/login-throttle.ts';
import type { ClientRegistry, RegisteredClient } from '../../access/registry.ts';
import type { UrlTicket } from '../../media/signed-url.ts';
import { noSuchLink, type SharedLink } from '../link.ts';
import { hasCookie } from '../link-password.ts';
import type { LinkStore } from '../store/link-store.ts';

/** Requests of guests a minute (docs/contract/collections.md#guests). */
const PER_LINK_AND_ADDRESS = 120;
const PER_LINK = 1_200;

interface Needs {
  links: Pick<LinkStore, 'live' | 'streamsOf'>;
  registry: Pick<ClientRegistry, 'find'>;
  rateLimiter: RateLimiter;
  loginThrottle: Pick<LoginThrottle, 'failLink'>;
  clock: Clock;
}

/** A live link and its owner. */
export interface OpenedLink {
  link: SharedLink;
  owner: RegisteredClient;
}

/** A request of a guest. */
export interface GuestRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  address(): string;
  note(fields: { linkId: string }): void;
}

/** Finds the links by which guests come, and decides whether they may. */
export class SharedLinks {
  readonly #needs: Needs;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Finds a link, and counts the request. Throws `not_found` and `rate_limited`. */
  async find(token: string, request: GuestRequest): Promise<OpenedLink> {
    const { links, rateLimiter, loginThrottle } = this.#needs;
    const link = await links.live(token);
    const owner = link && this.#owner(link.client.clientId);
    if (link === undefined || owner === undefined) {
      const waitSeconds = loginThrottle.failLink(request.address());
      throw waitSeconds === undefined ? noSuchLink() : tooMany(waitSeconds);
    }
    request.note({ linkId: link.id });
    const limits = [
      [`link ${link.id} ${request.address()}`, PER_LINK_AND_ADDRESS],
      [`link ${link.id}`, PER_LINK],
    ] as const;
    for (const [key, limit] of limits) {
      const { allowed, resetSeconds } = await rateLimiter.take(key, limit);
      if (!allowed) throw tooMany(resetSeconds, limit);
    }
    return { link, owner };
  }

  /** Finds a link as `find` does. Throws `invalid_token` if it has a password that the guest has not entered. */
  async open(token: string, request: GuestRequest): Promise<OpenedLink> {
    const opened = await this.find(token, request);
    const { id, password } = opened.link;
    const cookie = [request.headers.cookie ?? []].flat().join(';');
    if (password !== null && !hasCookie(cookie, { id, password }, this.#needs.clock.now())) {
      throw new StaveError('invalid_token', 'The link has a password; enter it first.');
    }
    return opened;
  }

  /** Whether a link still permits a URL that a guest has. Reads the database, so that its end counts at once. */
  async accepts({ linkId, clientId, kind }: UrlTicket): Promise<boolean> {
    if (this.#owner(clientId) === undefined) return false;
    const streams = await this.#needs.links.streamsOf(linkId!);
    return streams !== undefined && (kind !== 'stream' || streams === 'full');
  }

  /** Undefined for a client that may not have links now. */
  #owner(clientId: string): RegisteredClient | undefined {
    const owner = this.#needs.registry.find(clientId);
    const isOn = owner?.enabled && owner.features.has('saved-searches');
    return isOn ? owner : undefined;
  }
}

function tooMany(seconds: number, limit?: number): StaveError {
  const what =
    limit === undefined
      ? 'Too many links that do not exist were requested'
      : `The limit of ${counted(limit, 'request')} a minute is used up`;
  return new StaveError('rate_limited', `${what}; retry in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
