import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Store } from '../../../src/features/store.ts';
import { type TemporaryFolder, temporaryFolder } from '../../harness/cli.ts';
import { differencesOf, Mirror } from '../../harness/mirror.ts';
import { until } from '../../harness/until.ts';
import { newCredentials, tokenOf } from './credentials.ts';
import type { Node } from './node.ts';
import { repeated } from './repeated.ts';

/** A comparison of a mirror with the catalog. */
export interface MirrorReport {
  tracks: number;
  /** Tracks that differ in any byte. */
  differing: number;
  /** Requests that failed, and that the mirror repeated. */
  failedRequests: number;
}

/** The example client that mirrors the catalog, behind a balancer of the nodes. */
export class ClusterMirror implements AsyncDisposable {
  readonly #mirror: Mirror;
  readonly #folder: TemporaryFolder;
  readonly #balancer: Server;

  private constructor(mirror: Mirror, folder: TemporaryFolder, balancer: Server) {
    this.#mirror = mirror;
    this.#folder = folder;
    this.#balancer = balancer;
  }

  /** @param nodes the nodes that a load balancer would select. */
  static async start(store: Store, nodes: () => readonly Node[]): Promise<ClusterMirror> {
    const terms = { scopes: ['changes'], features: ['changes'] };
    const credentials = await newCredentials(store, 1_000_000, terms);
    // Every node knows the client.
    await Promise.all(nodes().map((node) => tokenOf(node, credentials)));
    const folder = temporaryFolder();
    const balancer = createServer(balance(nodes));
    balancer.listen(0, '127.0.0.1');
    await once(balancer, 'listening');
    const url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
    const { client_id: clientId, client_secret: secret } = credentials;
    const mirror = new Mirror(folder.at('copy.db'), url, { clientId, secret });
    mirror.start();
    return new ClusterMirror(mirror, folder, balancer);
  }

  /** Waits until the mirror has every change of the log, and compares it with a node. */
  async report(store: Store, node: Node, token: string): Promise<MirrorReport> {
    const head = await repeated(() => store.changes.head());
    await until(
      () => this.#mirror.position() >= head || !this.#mirror.isRunning,
      'the mirror to be complete',
      120_000,
    );
    if (!this.#mirror.isRunning) throw new Error(`the mirror has ended: ${this.#mirror.output}`);
    const get = (path: string) => node.data(path, token);
    const { compared, differing } = await differencesOf(this.#mirror, get);
    const failedRequests = this.#mirror.output.match(/; trying again$/gm)?.length ?? 0;
    return { tracks: compared, differing: differing.length, failedRequests };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mirror.kill();
    this.#balancer.close();
    this.#folder[Symbol.dispose]();
  }
}

/** Connects each connection to one of the nodes, in turn. */
function balance(nodes: () => readonly Node[]): (from: Socket) => void {
  let count = 0;
  return (from) => {
    const candidates = nodes();
    const node = candidates[count++ % candidates.length];
    if (node === undefined) {
      from.destroy();
      return;
    }
    const to = connect(node.port, '127.0.0.1');
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
      socket.pipe(other);
    }
  };
}
