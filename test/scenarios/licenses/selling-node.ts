import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { tokenOf } from '../../harness/feature-server.ts';
import type { LicensingNodeJob } from '../../harness/programs/licensing-node.ts';

const PROGRAM = join(import.meta.dirname, '../../harness/programs/licensing-node.ts');

/** A response, or none because the node died. */
interface Reply {
  status: number | undefined;
  /** Of the license, if it was sold. */
  number: string | undefined;
}

/** A process that sells licenses, and that can be killed. */
export class SellingNode {
  readonly #job: LicensingNodeJob;
  #child: ChildProcess | undefined;
  #base = '';

  constructor(job: LicensingNodeJob) {
    this.#job = job;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(this.#job)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout! })) {
      this.#base = `http://127.0.0.1:${JSON.parse(line).port}`;
      return;
    }
    throw new Error('the node has not started');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Buys a live license for a client. */
  async buy(client: string, body: object): Promise<Reply> {
    const headers = {
      authorization: `Bearer ${tokenOf({ client, mode: 'live' })}`,
      'content-type': 'application/json',
    };
    const options = { method: 'POST', headers, body: JSON.stringify(body) };
    try {
      const response = await fetch(`${this.#base}/v1/licenses`, options);
      const { data } = (await response.json()) as { data: { number?: string } };
      return { status: response.status, number: data.number };
    } catch {
      return { status: undefined, number: undefined };
    }
  }
}
