import { type AccessToken, StaveClient, type Track } from '#client';

/** URLs of tracks that end within this time are replaced. */
const MARGIN_MS = 60_000;
const TOKEN_TIMEOUT_MS = 15_000;

/** What the token endpoint of the page gave. */
interface Token extends AccessToken {
  scope: string;
}

export interface SessionOptions {
  /** The address of Stave. */
  api: string;
  tokenEndpoint: string;
  language: string;
}

/** The requests of one picker, with tokens of the page's own server. They are renewed before they end. */
export class Session {
  readonly stave: StaveClient;
  readonly #endpoint: string;
  /** The token by which the scopes were learned, until it is used. */
  #first: Promise<Token> | undefined;

  constructor({ api, tokenEndpoint, language }: SessionOptions) {
    this.#endpoint = tokenEndpoint;
    this.stave = new StaveClient({
      baseUrl: api,
      language,
      getAccessToken: () => {
        const token = this.#first ?? this.#request();
        this.#first = undefined;
        return token;
      },
    });
  }

  /** Returns what the tokens of the page may do. */
  async scopes(): Promise<ReadonlySet<string>> {
    this.#first = this.#request();
    return new Set((await this.#first).scope.split(' '));
  }

  /** Returns the track with URLs that are valid for a while. */
  async fresh(track: Track, signal?: AbortSignal): Promise<Track> {
    if (Date.parse(track.streamUrlExpiresAt) > Date.now() + MARGIN_MS) return track;
    return this.stave.showTrack({ slug: track.slug }, { ...(signal && { signal }) });
  }

  /** Asks the page's own server, which knows the user by its cookies. */
  async #request(): Promise<Token> {
    const response = await fetch(this.#endpoint, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`The token endpoint responded with ${response.status}.`);
    const body = (await response.json()) as Partial<Token> & { data?: Partial<Token> };
    const { access_token, expires_in, scope = '' } = body.data ?? body;
    if (typeof access_token !== 'string' || !(Number(expires_in) > 0)) {
      throw new Error('The token endpoint responded without access_token and expires_in.');
    }
    return { access_token, expires_in: Number(expires_in), scope, token_type: 'Bearer' } as Token;
  }
}
