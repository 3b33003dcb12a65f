import { setTimeout as sleep } from 'node:timers/promises';

/** A request without a usable response. */
export class RequestFailed extends Error {
  /** 0 if a repetition may succeed, whatever the response was. */
  status = 0;
  /** Seconds; null if the service asks for none. */
  retryAfter: string | null = null;
}

/** Waits before a repetition of what has failed this often. Throws errors that a repetition does not cure. */
export async function pauseAfter(error: unknown, failures: number): Promise<void> {
  if (!(error instanceof RequestFailed)) throw error;
  const { status, retryAfter, message } = error;
  if (status >= 400 && status < 500 && ![408, 429].includes(status)) throw error;
  console.error(`${message}; trying again`);
  // The random part spreads the requests of many clients after a failure of the service.
  const seconds = Math.min(30, 0.25 * 2 ** failures) * (0.5 + Math.random());
  await sleep(1_000 * (Number(retryAfter) || seconds));
}

/** Sends requests with a token, which it renews. Failures are RequestFailed. */
export class Stave {
  readonly #url: string;
  readonly #credentials: object;
  #token = { value: '', renewAt: 0 };

  constructor(url: string, credentials: object) {
    this.#url = new URL(url).href.replace(/\/$/, '');
    this.#credentials = credentials;
  }

  /** Returns `data` of a response. A request for changes waits for half of this time. */
  async json(path: string): Promise<unknown> {
    return dataOf(await this.#get(path, { signal: AbortSignal.timeout(60_000) }));
  }

  /** The lines of a response as they arrive, without their line feeds. */
  async *lines(path: string): AsyncGenerator<string> {
    const { body } = await this.#get(path, {});
    let rest = '';
    try {
      for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        yield* lines;
      }
    } catch (error) {
      breakOff(error);
    }
  }

  async #get(path: string, init: RequestInit): Promise<Response> {
    if (Date.now() >= this.#token.renewAt) await this.#renewToken();
    const headers = { authorization: `Bearer ${this.#token.value}` };
    return send(this.#url + path, { ...init, headers }).catch((error: RequestFailed) => {
      if (error.status !== 401) throw error;
      // The token has ended early. The request for the next one shows whether the credentials are valid.
      this.#token.renewAt = 0;
      throw Object.assign(error, { status: 0 });
    });
  }

  async #renewToken(): Promise<void> {
    const body = JSON.stringify({ grant_type: 'client_credentials', ...this.#credentials });
    const headers = { 'content-type': 'application/json' };
    const response = await send(`${this.#url}/v1/auth/token`, { method: 'POST', headers, body });
    const data = (await dataOf(response)) as { access_token: string; expires_in: number };
    this.#token = { value: data.access_token, renewAt: Date.now() + 900 * data.expires_in };
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init).catch(breakOff);
  if (response.ok) return response;
  const { status, headers } = response;
  const failed = new RequestFailed(`${url} got ${status} ${await response.text().catch(breakOff)}`);
  throw Object.assign(failed, { status, retryAfter: headers.get('retry-after') });
}

async function dataOf(response: Response): Promise<unknown> {
  return ((await response.json().catch(breakOff)) as { data: unknown }).data;
}

function breakOff(error: unknown): never {
  throw new RequestFailed(`The connection failed (${error})`);
}
