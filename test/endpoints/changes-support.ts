import type { Feature } from '../../src/common/caller.ts';
import type { CallOptions, CheckedResponse } from '../harness/call.ts';
import type { TestServer } from '../harness/test-server.ts';

/** An event of the feed, of which these tests read some members. */
export interface Event {
  seq: number;
  type: string;
  trackId: string;
  version: number;
  occurredAt: string;
  changedFields: string[] | null;
  track?: { bpm: string; name: string } | null;
}

/** Before all changes of a log. */
export const START = { since: '1970-01-01T00:00:00Z' };

/** A partner that reads the changes of a server. */
export interface Reader {
  clientId: string;
  secretId: string;
  call(query: CallOptions['query']): Promise<CheckedResponse>;
  /** Reads all pages by their cursors, and returns the events and the last cursor. */
  walk(query: Record<string, string | number>): Promise<{ events: Event[]; cursor: string }>;
  /** Returns the cursor at the end of the log. */
  end(): Promise<string>;
}

export async function readerOf(
  server: TestServer,
  rights: readonly Feature[] = ['changes'],
): Promise<Reader> {
  const client = await server.createClient({ scopes: rights, features: rights });
  const token = await client.token();
  const stored = await server.operator.store.clients.get(client.clientId);
  const call: Reader['call'] = (query) =>
    server.call('listTrackChanges', { token, ...(query !== undefined && { query }) });
  const walk: Reader['walk'] = async ({ since, ...query }) => {
    const events: Event[] = [];
    let { data } = await call({ ...(since !== undefined && { since }), ...query });
    for (let pages = 1; ; pages++) {
      events.push(...data.items);
      if (!data.hasMore) return { events, cursor: data.nextCursor };
      if (pages > 2_000) throw new Error('the feed does not end');
      ({ data } = await call({ ...query, cursor: data.nextCursor }));
    }
  };
  return {
    clientId: client.clientId,
    secretId: stored!.secrets.find(({ mode }) => mode === 'test')!.id,
    call,
    walk,
    end: async () => (await walk({ ...START, limit: 500, tracks: 'false' })).cursor,
  };
}
