import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, MAIN } from '../../cli/harness.ts';
import { openLink, type TcpLink } from '../../harness/tcp-link.ts';
import { until } from '../../harness/until.ts';

/** What came back: an answer, or nothing at all because the connection broke or there was none. */
export interface Reply {
  /** 0 where nothing came back. */
  status: number;
  body: string;
  retryAfter: string | undefined;
}

/** What all nodes of a cluster have in common. */
export interface ClusterSettings {
  databasePort: number;
  redisUrl: string;
  staleLimitSeconds: number;
}

/** A real node in a process of its own, with its own link to the database. */
export class Node {
  readonly name: string;
  readonly link: TcpLink;
  readonly #settings: ClusterSettings;
  readonly #folder = mkdtempSync(join(tmpdir(), 'stave-node-'));
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  #child: ChildProcess | undefined;
  #output = '';
  #url = '';

  private constructor(name: string, settings: ClusterSettings, link: TcpLink) {
    this.name = name;
    this.#settings = settings;
    this.link = link;
  }

  /** Starts it and waits until it serves. `program`: the main.ts of the version to run. */
  static async start(name: string, settings: ClusterSettings, program = MAIN): Promise<Node> {
    const node = new Node(name, settings, await openLink(settings.databasePort));
    await node.restart(program);
    return node;
  }

  /** All it has written to its output and log. */
  get output(): string {
    return this.#output;
  }

  get isUp(): boolean {
    return this.#child !== undefined;
  }

  async restart(program = MAIN): Promise<void> {
    const child = spawn(process.execPath, [program, 'serve', '--json'], {
      env: environment(this.#folder, {
        STAVE_DATABASE_URL: `postgres://stave@127.0.0.1:${this.link.port}/postgres`,
        STAVE_REDIS_URL: this.#settings.redisUrl,
        STAVE_STALE_LIMIT: String(this.#settings.staleLimitSeconds),
        STAVE_LOG_LEVEL: 'warn',
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let greeting = '';
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      greeting += text;
    });
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      this.#output += text;
    });
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`${this.name} ended with ${code}: ${this.#output}`);
    });
    failed.catch(() => {});
    await Promise.race([until(() => greeting.includes('\n'), 60_000), failed]);
    this.#url = (JSON.parse(greeting) as { address: string }).address;
    this.#child = child;
  }

  /** Ends it with a signal; its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child!;
    this.#child = undefined;
    const gone = once(child, 'exit');
    child.kill(signal);
    return (await gone)[0] as number | null;
  }

  send(
    method: 'GET' | 'POST',
    path: string,
    { token, body }: { token?: string | undefined; body?: unknown } = {},
  ): Promise<Reply> {
    return new Promise((resolve) => {
      const headers: Record<string, string> = {};
      if (token !== undefined) headers.authorization = `Bearer ${token}`;
      if (body !== undefined) headers['content-type'] = 'application/json';
      const nothing = (error: Error) =>
        resolve({ status: 0, body: error.message, retryAfter: undefined });
      const sent = request(this.#url + path, { method, headers, agent: this.#agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.once('error', nothing);
        answer.once('end', () =>
          resolve({
            status: answer.statusCode!,
            body: text,
            retryAfter: answer.headers['retry-after'],
          }),
        );
      });
      sent.once('error', nothing);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** The `data` of a good answer; throws where it is another. */
  // biome-ignore lint/suspicious/noExplicitAny: what the program under test answers is looked at
  async data(path: string, token: string): Promise<any> {
    const reply = await this.send('GET', path, { token });
    if (reply.status !== 200)
      throw new Error(`${this.name} ${path}: ${reply.status} ${reply.body}`);
    return JSON.parse(reply.body).data;
  }

  async close(): Promise<void> {
    if (this.isUp) await this.end('SIGKILL');
    this.#agent.destroy();
    await this.link[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
