import type { ChangeFilter, ExplainedChange } from '../../engines/change-log/change-log.ts';
import type { Store } from '../../features/store.ts';

/** A change with the name of what changed: a slug, or the name of a client. Null if it has none, or no longer exists. */
export type NamedChange = ExplainedChange & { name: string | null };

/** Reads the latest changes that match a filter, newest first, with the names of what changed. */
export async function latestChanges(
  store: Store,
  limit: number,
  filter: ChangeFilter,
): Promise<NamedChange[]> {
  const found = await store.changes.latest(limit, filter);
  const names = await namesOf(store, found);
  return found.map((change) => ({ ...change, name: names.get(change.entityId) ?? null }));
}

/** Returns the names of the changed objects that still exist: slugs, and names of clients. */
async function namesOf(
  store: Store,
  changes: readonly ExplainedChange[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { entity, entityId } of changes) {
    if (names.has(entityId)) {
      continue;
    }
    const name =
      entity === 'track'
        ? (await store.catalog.trackRecord(entityId))?.track.slug
        : entity === 'playlist'
          ? (await store.playlists.find(entityId))?.slug
          : entity === 'client'
            ? (await store.clients.get(entityId))?.name
            : undefined;
    if (name !== undefined) {
      names.set(entityId, name);
    }
  }
  return names;
}
