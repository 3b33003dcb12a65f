import { createBenchClient, tokenFor } from './client.ts';

/** A client that calls a service. */
export interface BenchPartner {
  clientId: string;
  liveSecret: string;
  call: Call;
  authorization: string;
}

/** Calls the service as the client. Returns `data`, or throws. */
export type Call = <Data>(method: string, path: string, body?: object) => Promise<Data>;

/** Creates a client of the service at a port, with a contract feature. */
export async function newPartner(
  port: number,
  settings: Record<string, string>,
  feature = 'saved-searches',
): Promise<BenchPartner> {
  const client = await createBenchClient(
    settings,
    feature,
    `tracks,playlists,search,filters,${feature}`,
  );
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
