import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { readCursor } from '../../src/engines/change-log/positions.ts';

const PROGRAM = fileURLToPath(new URL('../../examples/mirror/mirror.ts', import.meta.url));

/** A client that may follow the changes. */
export interface MirrorClient {
  clientId: string;
  secret: string;
}

/** The example client that mirrors the catalog, as a process of its own. */
export class Mirror implements AsyncDisposable {
  readonly #path: string;
  readonly #env: Record<string, string>;
  #child: ChildProcess | undefined;
  #output = '';
  /** How often the program was started. */
  starts = 0;

  /** @param path the file of the copy. */
  constructor(path: string, url: string, { clientId, secret }: MirrorClient) {
    this.#path = path;
    this.#env = { STAVE_URL: url, STAVE_CLIENT_ID: clientId, STAVE_CLIENT_SECRET: secret };
  }

  /** What all starts have printed, on both streams. */
  get output(): string {
    return this.#output;
  }

  /** Whether the program runs. It ends by itself only after an error that a repetition does not cure. */
  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null;
  }

  /** Null while the program runs. */
  get exitCode(): number | null {
    return this.#child!.exitCode;
  }

  start(): void {
    this.starts++;
    this.#child = spawn(process.execPath, [PROGRAM, this.#path], {
      env: { PATH: process.env.PATH, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.#output += text;
      });
    }
  }

  /** Kills the process with -9. */
  async kill(): Promise<void> {
    if (!this.isRunning || this.#child?.signalCode) return;
    const gone = once(this.#child!, 'exit');
    this.#child!.kill('SIGKILL');
    await gone;
  }

  /** The number of the last change that the copy contains, in the current history of the log; -1 without one. */
  position(): number {
    const [row] = this.#read('SELECT cursor FROM position');
    return row?.cursor ? readCursor(row.cursor as string)!.seq : -1;
  }

  /** The live tracks of the copy by id, as the JSON that it stores. */
  tracks(): Map<string, string> {
    const rows = this.#read('SELECT id, track FROM tracks WHERE track IS NOT NULL');
    return new Map(rows.map(({ id, track }) => [id as string, track as string]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #read(sql: string): Record<string, unknown>[] {
    const database = new DatabaseSync(this.#path, { timeout: 10_000 });
    try {
      return database.prepare(sql).all();
    } catch (error) {
      // The program has not made its tables yet.
      if (String(error).includes('no such table')) return [];
      throw error;
    } finally {
      database.close();
    }
  }
}

const READERS = 8;

/**
 * Compares a copy with the catalog: the tracks that differ in any byte from `GET /v1/tracks/{slug}`, which are in only
 * one of both, or which are missing in the list. Describes each of them.
 *
 * @param get returns `data` of a response with status 200.
 */
export async function differencesOf(
  mirror: Pick<Mirror, 'tracks'>,
  // biome-ignore lint/suspicious/noExplicitAny: JSON of which any member is read
  get: (path: string) => Promise<any>,
): Promise<{ compared: number; differing: string[] }> {
  const copy = mirror.tracks();
  const slugs = new Map<string, string>();
  const totals = new Set<number>();
  for (let page = 1; ; page++) {
    const { items, totalRecords } = await get(`/v1/tracks?pageSize=100&page=${page}`);
    for (const { id, slug } of items) slugs.set(id, slug);
    totals.add(totalRecords);
    if (items.length === 0) break;
  }
  const differing = [...copy.keys()]
    .filter((id) => !slugs.has(id))
    .map((id) => `${id} is only in the copy: ${copy.get(id)}`);
  if (differing.length > 0) {
    const listed = `of ${[...totals].join(', then ')} tracks, the list has ${slugs.size}`;
    differing.push(`${listed}, and the copy has ${copy.size}`);
  }
  const queue = [...slugs];
  const compare = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [id, slug] = next;
      const { streamUrl, streamUrlExpiresAt, ...track } = await get(`/v1/tracks/${slug}`);
      const shown = JSON.stringify(track);
      const copied = copy.get(id);
      if (copied !== shown) differing.push(`${id} is ${copied} in the copy, and ${shown}`);
    }
  };
  await Promise.all(Array.from({ length: READERS }, compare));
  return { compared: slugs.size, differing };
}
