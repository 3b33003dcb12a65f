import type { Json } from '../harness/cli.ts';
import { repeatedWhileOverloaded } from '../harness/overload.ts';

/** A response with its whole body. */
interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}

/** A partner's program, which calls a service with a token. */
export class Caller {
  readonly #url: string;
  readonly clientId: string;
  readonly token: string;

  constructor(url: string, clientId: string, token: string) {
    this.#url = url;
    this.clientId = clientId;
    this.token = token;
  }

  static async login(url: string, clientId: string, secret: string): Promise<Caller> {
    const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
    const { access_token: token } = await new Caller(url, clientId, '').write(
      'POST',
      '/v1/auth/token',
      body,
    );
    return new Caller(url, clientId, token);
  }

  /** Sends a request. The origin of a URL is that of the service, whatever the URL has. */
  send(
    method: string,
    target: string,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { pathname, search } = new URL(target, this.#url);
    return repeatedWhileOverloaded(
      async () => {
        const response = await fetch(this.#url + pathname + search, {
          method,
          headers: {
            ...(this.token !== '' && { authorization: `Bearer ${this.token}` }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const bytes = Buffer.from(await response.arrayBuffer());
        return { status: response.status, headers: response.headers, body: bytes };
      },
      ({ body: bytes }) => bytes.toString('latin1'),
    );
  }

  /** Returns the `data` of a successful response. */
  async read(target: string, headers: Record<string, string> = {}): Promise<Json> {
    return dataOf(await this.send('GET', target, { headers }), target);
  }

  /** Returns the `data` of the successful response to a change. */
  async write(
    method: string,
    target: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Json> {
    return dataOf(await this.send(method, target, { body, headers }), target);
  }
}

function dataOf({ status, body }: Answer, target: string): Json {
  if (status !== 200 && status !== 201 && status !== 202) {
    throw new Error(`${target}: ${status} ${body}`);
  }
  return JSON.parse(body.toString()).data;
}
