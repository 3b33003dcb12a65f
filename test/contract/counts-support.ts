import type { Store } from '../../src/storage/store.ts';

/** Calls every method of the stores of requests and nodes. */
export async function useCounts(
  { clientRequests, nodes }: Store,
  clientId: string,
  secretId: string,
): Promise<void> {
  await clientRequests.add([{ clientId, secretId, at: 1, requests: 1, limited: 0, usedAt: 1 }]);
  await clientRequests.uses({ hour: 0, day: 0 });
  await clientRequests.uses({ hour: 0, day: 0 }, clientId);
  await clientRequests.expire();
  await nodes.seen({ node: 'n', host: 'h', pid: 1, version: '1', dataFolder: '/' }, 1);
  await nodes.running();
  await nodes.now();
  await nodes.gone('n');
}
