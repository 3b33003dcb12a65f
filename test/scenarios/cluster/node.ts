import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, formerEnvironment, MAIN } from '../../harness/cli.ts';
import { freePort } from '../../harness/free-port.ts';
import { freshMetrics } from '../../harness/fresh-metrics.ts';
import { openLink, type TcpLink } from '../../harness/tcp-link.ts';
import { until } from '../../harness/until.ts';

/** A response, or none because the connection broke or was refused. */
export interface Reply {
  /** 0 without a response. */
  status: number;
  body: string;
  retryAfter: string | undefined;
  /** Whether it is the response to an earlier request with the same `Idempotency-Key`. */
  isReplayed: boolean;
}

/** What a request carries. */
interface RequestParts {
  token?: string | undefined;
  body?: unknown;
  /** Its `Idempotency-Key`. */
  key?: string;
  /** Its `Accept-Language`. */
  language?: string;
  /** The connection is cut if no complete response has arrived after this time. */
  timeoutMs?: number;
}

/** The settings that all nodes of a cluster share. */
export interface ClusterSettings {
  databasePort: number;
  redisUrl: string;
  staleLimitSeconds: number;
}

/** A real node in its own process, with its own link to the database. */
export class Node {
  readonly name: string;
  readonly link: TcpLink;
  readonly #settings: ClusterSettings;
  readonly #folder = mkdtempSync(join(tmpdir(), 'stave-node-'));
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  #child: ChildProcess | undefined;
  #output = '';
  #url = '';
  #metricsUrl = '';

  private constructor(name: string, settings: ClusterSettings, link: TcpLink) {
    this.name = name;
    this.#settings = settings;
    this.link = link;
  }

  /** Starts the node and waits until it serves. `program` is the bin/main.mjs of the version to run. */
  static async start(name: string, settings: ClusterSettings, program = MAIN): Promise<Node> {
    const node = new Node(name, settings, await openLink(settings.databasePort));
    await node.restart(program);
    return node;
  }

  /** The output and the log of the node. */
  get output(): string {
    return this.#output;
  }

  /** The port at which it serves since its last start. */
  get port(): number {
    return Number(new URL(this.#url).port);
  }

  get isUp(): boolean {
    return this.#child !== undefined;
  }

  /** Starts the node again and waits until it serves. */
  async restart(program = MAIN): Promise<void> {
    const metricsPort = await freePort();
    this.#metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    const environmentOf = program === MAIN ? environment : formerEnvironment;
    const child = spawn(process.execPath, [program, 'serve', '--json'], {
      env: environmentOf(this.#folder, {
        STAVE_DATABASE_URL: `postgres://stave@127.0.0.1:${this.link.port}/postgres`,
        STAVE_REDIS_URL: this.#settings.redisUrl,
        // As behind a load balancer: URLs in responses are the same on every node.
        STAVE_PUBLIC_URL: 'https://catalog.example.com',
        STAVE_STALE_LIMIT: String(this.#settings.staleLimitSeconds),
        STAVE_WEBHOOK_TARGETS: 'any',
        STAVE_LOG_LEVEL: 'warn',
        STAVE_METRICS_PORT: String(metricsPort),
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let greeting = '';
    let log = '';
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      greeting += text;
    });
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      log += text;
      this.#output += text;
    });
    let end: string | undefined;
    child.once('close', (code) => {
      end = `ended with ${code}`;
    });
    await until(() => greeting.includes('\n') || end !== undefined, 'the greeting', 300_000);
    if (end !== undefined) throw new Error(`${this.name} ${end}: ${log}`);
    this.#url = (JSON.parse(greeting) as { address: string }).address;
    this.#child = child;
  }

  /** Ends the node with a signal. Returns its exit code. */
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
    { token, body, key, language, timeoutMs }: RequestParts = {},
  ): Promise<Reply> {
    return new Promise((resolve) => {
      const headers: Record<string, string> = {};
      if (token !== undefined) headers.authorization = `Bearer ${token}`;
      if (body !== undefined) headers['content-type'] = 'application/json';
      if (key !== undefined) headers['idempotency-key'] = key;
      if (language !== undefined) headers['accept-language'] = language;
      const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const nothing = (error: Error) =>
        resolve({ status: 0, body: error.message, retryAfter: undefined, isReplayed: false });
      const sent = request(
        this.#url + path,
        { method, headers, agent: this.#agent, ...(signal && { signal }) },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.once('error', nothing);
          response.once('end', () =>
            resolve({
              status: response.statusCode!,
              body: text,
              retryAfter: response.headers['retry-after'],
              isReplayed: response.headers['idempotency-replayed'] === 'true',
            }),
          );
        },
      );
      sent.once('error', nothing);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /**
   * Returns the `data` of a response with status 200, and throws for any other. Repeats the request, as a client does, if
   * a busy node responds with 503, or closes an idle connection at the moment of the request (RFC 9110, section 9.2.2).
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests check the output of the program under test
  async data(path: string, token: string): Promise<any> {
    let reply = await this.send('GET', path, { token });
    const isRefused = () => reply.status === 503 || reply.status === 0;
    const isAnswered = async () => {
      if (isRefused()) reply = await this.send('GET', path, { token });
      return !isRefused();
    };
    // A late response shows itself in the report. The error below says why there is none.
    await until(isAnswered, 'a response', 300_000).catch(() => {});
    if (reply.status !== 200)
      throw new Error(`${this.name} ${path}: ${reply.status} ${reply.body}`);
    return JSON.parse(reply.body).data;
  }

  /** Returns the value of a metric without labels. */
  async metric(name: string): Promise<number> {
    const text = await freshMetrics(this.#metricsUrl);
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  }

  async close(): Promise<void> {
    if (this.isUp) await this.end('SIGKILL');
    this.#agent.destroy();
    await this.link[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
