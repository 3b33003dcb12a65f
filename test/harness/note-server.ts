import type { Clock } from '../../src/common/clock.ts';
import type { ServerOptions } from '../../src/engines/http/server.ts';
import { IdempotencyStore } from '../../src/engines/idempotency/idempotency-store.ts';
import type { Store } from '../../src/features/store.ts';
import { type FeatureServer, startFeatureServer } from './feature-server.ts';
import { noteRoutes } from './note-routes.ts';
import { NoteStore } from './note-store.ts';
import { openDatabase } from './sql-databases.ts';
import type { Adapter } from './store-adapters.ts';

/** A node with the routes of notes, on a store that other nodes may share. */
export interface NoteServer extends FeatureServer {
  notes: NoteStore;
  store: Store;
}

/** Starts a node on a place that the adapter has provided. */
export async function startNoteServer(
  adapter: Adapter,
  location: string,
  clock: Clock,
  options: Partial<ServerOptions> = {},
): Promise<NoteServer> {
  const store = await adapter.open(location, clock);
  const database = await openDatabase(adapter, location, clock);
  const notes = new NoteStore(database.sql);
  const server = await startFeatureServer(noteRoutes(notes), {
    // On the connections of the notes, as in a service.
    idempotency: new IdempotencyStore(database.sql, clock),
    clock,
    ...options,
  });
  return {
    ...server,
    notes,
    store,
    close: async () => {
      await server.close();
      await database[Symbol.asyncDispose]();
      await store.close();
    },
  };
}
