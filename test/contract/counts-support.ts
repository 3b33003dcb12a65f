import type { Store } from '../../src/features/store.ts';

/** Calls every method of the stores of requests, of clients and for media, and of nodes. */
export async function useCounts(
  { calls, clientRequests, mediaRequests, nodes }: Store,
  clientId: string,
  secretId: string,
): Promise<void> {
  await clientRequests.add([{ clientId, secretId, at: 1, requests: 1, limited: 0, usedAt: 1 }]);
  await clientRequests.uses({ hour: 0, day: 0 });
  await clientRequests.uses({ hour: 0, day: 0 }, clientId);
  await clientRequests.expire();
  const whose = { clientId, secretId, requests: 1 };
  await calls.addDays([{ ...whose, at: 1, outcome: 'ok', underMs: 1 }]);
  await calls.addAddresses([{ ...whose, address: 'a', errors: 1, firstAt: 1, lastAt: 1 }]);
  const error = { clientId, secretId, at: 1, requestId: 'r', operationId: 'o', status: 400 };
  await calls.addErrors([
    { ...error, error: 'e', problem: 'p', caller: 'a', method: 'GET', path: '/' },
  ]);
  await calls.days(clientId, 0);
  await calls.outcomes({ from: 0, to: 1 });
  await calls.outcomes({ clientId, from: 0, to: 1 });
  await calls.addresses(clientId);
  for (const which of [{}, { clientId }, { requestId: 'r' }]) await calls.errors(which);
  await calls.expire();
  const heard = { trackId: 't', clientId, mode: 'live', kind: 'stream' } as const;
  await mediaRequests.add([{ ...heard, at: 0, requests: 1, firstAt: 1, lastAt: 1 }]);
  await mediaRequests.ofTrack('t', { from: 0, to: 1 });
  await mediaRequests.expire();
  await nodes.seen({ node: 'n', host: 'h', pid: 1, version: '1', dataFolder: '/' }, 1);
  await nodes.running();
  await nodes.now();
  await nodes.gone('n');
}
