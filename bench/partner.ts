import { tokenFor } from './client.ts';
import { stave } from './processes.ts';

/** A client that calls a service. */
export interface BenchPartner {
  clientId: string;
  liveSecret: string;
  call: Call;
  authorization: string;
}

/** Calls the service as the client. Returns `data`, or throws. */
export type Call = <Data>(method: string, path: string, body?: object) => Promise<Data>;

/** Creates a client of the service at a port, with the feature `saved-searches`. */
export async function newPartner(
  port: number,
  settings: Record<string, string>,
): Promise<BenchPartner> {
  const terms = ['--scopes', 'tracks,playlists,search,filters', '--features', 'saved-searches'];
  const { result } = await stave(
    ['clients', 'create', '--name', 'Bench', ...terms, '--rate-limit', '1000000'],
    settings,
  );
  const client = result as { clientId: string; liveSecret: string };
  const authorization = await tokenFor(port, client);
  const call: Call = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return ((await response.json()) as { data: never }).data;
  };
  return { ...client, call, authorization };
}

/** Returns how long some work takes. */
export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
