import { serve, stave, staveJson, type TemporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';

export const PASSWORD = 'correct horse battery';

/** A response of the console. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** A browser without a screen: it keeps the cookie, sends forms as browsers do, and does not follow redirects. */
export class ConsoleClient {
  readonly url: string;
  /** The cookie of the session. */
  cookie = '';

  constructor(url: string) {
    this.url = url;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#request(path, { headers });
  }

  /** Sends a form. The token and the version are those of a page of now, unless the fields have them. */
  async post(
    path: string,
    fields: Record<string, string> | [string, string][] = {},
    { headers = {}, from = '/clients' }: { headers?: Record<string, string>; from?: string } = {},
  ): Promise<Answer> {
    const body = new URLSearchParams(fields);
    const isWhole = body.has('csrf') && body.has('version');
    for (const [name, value] of isWhole ? [] : Object.entries(await this.hidden())) {
      if (!body.has(name)) body.set(name, value);
    }
    return this.#request(path, {
      method: 'POST',
      headers: { origin: this.url, referer: this.url + from, ...headers },
      body,
    });
  }

  /** Sends a form, and returns the page that follows it. */
  async submit(
    path: string,
    fields: Record<string, string> | [string, string][] = {},
    options: { from?: string } = {},
  ): Promise<Answer> {
    const sent = await this.post(path, fields, options);
    if (sent.status !== 303) throw new Error(`${path} answered ${sent.status}: ${sent.text}`);
    return this.get(sent.headers.get('location')!);
  }

  /** Sends a form with files, whose parts are in this order, after the token and the version. */
  async upload(
    path: string,
    parts: readonly (readonly [name: string, value: string, fileName?: string])[],
  ): Promise<Answer> {
    const body = new FormData();
    const hidden = Object.entries(await this.hidden());
    for (const [name, value] of hidden) {
      if (!parts.some(([given]) => given === name)) body.append(name, value);
    }
    for (const [name, value, fileName] of parts) {
      if (fileName === undefined) body.append(name, value);
      else body.append(name, new Blob([value]), fileName);
    }
    return this.#request(path, { method: 'POST', headers: { origin: this.url }, body });
  }

  /** The token that the forms of a page have; '' without a session. */
  async token(from: string): Promise<string> {
    return (await this.hidden(from)).csrf;
  }

  /** The token and the version of the forms of a page; '' without a session. */
  async hidden(from = '/clients/new'): Promise<{ csrf: string; version: string }> {
    const { text } = this.cookie === '' ? { text: '' } : await this.get(from);
    const fieldOf = (name: string) =>
      new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? '';
    return { csrf: fieldOf('csrf'), version: fieldOf('version') };
  }

  async login(password = PASSWORD, next = '/', name = 'console'): Promise<Answer> {
    const answer = await this.#request('/login', {
      method: 'POST',
      headers: { origin: this.url },
      body: new URLSearchParams({ name, password, next }),
    });
    const [session] = answer.headers.getSetCookie().map((set) => set.split(';')[0]!);
    this.cookie = session ?? this.cookie;
    return answer;
  }

  async #request(path: string, init: RequestInit): Promise<Answer> {
    const headers = { ...(this.cookie !== '' && { cookie: this.cookie }), ...init.headers };
    const response = await fetch(this.url + path, { ...init, headers, redirect: 'manual' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

/** Sets the password of the owner `console`. */
export async function setPassword(data: string, password = PASSWORD): Promise<void> {
  const ran = await stave(data, ['console', 'password', '--stdin'], { stdin: password });
  if (ran.code !== 0) throw new Error(ran.stderr);
}

/** Adds an operator. Returns the token of the link to set a password. */
export async function addOperator(data: string, name: string, role: string): Promise<string> {
  const { link } = await staveJson(data, ['operators', 'add', name, '--role', role]);
  return link.split('#')[1];
}

/** Adds an operator with the password PASSWORD. Returns a client that is logged in. */
export async function loggedIn(
  { url }: ConsoleClient,
  data: string,
  name: string,
  role: string,
): Promise<ConsoleClient> {
  const client = new ConsoleClient(url);
  const token = await addOperator(data, name, role);
  const set = await client.post('/set-password', { token, password: PASSWORD, again: PASSWORD });
  if (set.status !== 200) throw new Error(set.text);
  await client.login(PASSWORD, '/', name);
  return client;
}

/** Starts a service with a console. Sets its password first. */
export async function serveConsole(
  folder: TemporaryFolder,
  { env = {}, args = [] }: { env?: Record<string, string>; args?: readonly string[] } = {},
) {
  await setPassword(folder.path);
  const port = await freePort();
  const service = await serve(folder.path, { STAVE_CONSOLE_PORT: String(port), ...env }, args);
  const client = new ConsoleClient(`http://127.0.0.1:${port}`);
  return { service, client, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Waits until a job has ended. Returns the text of its page. */
export async function endOf(client: ConsoleClient, job: string): Promise<string> {
  let shown = '';
  await until(async () => {
    shown = (await client.get(job)).text;
    return !shown.includes('data-refresh');
  }, 'the job to end');
  return shown.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
}
