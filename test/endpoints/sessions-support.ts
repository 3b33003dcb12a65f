import type { SeatChange } from '../../src/features/access/seat.ts';
import { createSeat } from '../../src/features/access/seats.ts';
import type { HttpCaller } from '../harness/http.ts';
import type { TestServer } from '../harness/test-server.ts';

/** What a page of the service sends with each request. */
export const OWN = { 'Sec-Fetch-Site': 'same-origin' };

/** A browser with at most one cookie, which sends its requests to one node. */
export class Browser {
  cookie: string | undefined;
  readonly #http: HttpCaller;

  constructor(http: HttpCaller) {
    this.#http = http;
  }

  async send(
    method: string,
    path: string,
    { body, headers = OWN }: { body?: object; headers?: Record<string, string> } = {},
  ) {
    const response = await this.#http.send(
      method,
      path,
      {
        ...headers,
        ...(this.cookie !== undefined && { Cookie: `a=b; __Host-stave=${this.cookie}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      body && JSON.stringify(body),
    );
    const set = response.headers['set-cookie']?.[0];
    if (set !== undefined) this.cookie = /^__Host-stave=([^;]*)/.exec(set)![1] || undefined;
    return {
      ...{ status: response.status, headers: response.headers, set },
      ...(JSON.parse(response.body.toString()) as {
        data: Record<string, string>;
        error: { type?: string; message: string };
      }),
    };
  }

  /** Signs in with a link. */
  signIn(token: string) {
    return this.send('POST', '/session', { body: { token } });
  }

  /** Gets a token of the session. */
  async token(): Promise<string> {
    const { status, data } = await this.send('POST', '/session/token');
    if (status !== 200) throw new Error(`no token: ${status}`);
    return data.access_token!;
  }

  /** The status of a request with a token, and what it may do. */
  async me(token: string) {
    const { status, data, error } = await this.send('GET', '/v1/me', {
      headers: { Authorization: `Bearer ${token}` },
    });
    const seat = data.seat as unknown as { id: string; name: string; role: string } | null;
    return { status, data: { ...data, seat }, error };
  }
}

let count = 0;

/** Creates a seat, with the token of its link. */
export async function newSeat(
  { operator }: TestServer,
  clientId: string,
  { name = `Seat ${++count}`, role = 'buyer', mode = 'test' }: SeatChange = {},
) {
  const { seat, link } = await createSeat(operator, clientId, { name, role, mode });
  return { ...seat, token: tokenOf(link) };
}

export function tokenOf({ url }: { url: string }): string {
  return new URL(url).hash.slice(1);
}
