import type { Mode } from '../../../common/caller/scopes.ts';
import type { Queries } from '../../../engines/sql/database.ts';

/** Names a saved search of a client. */
interface SearchName {
  clientRowId: number;
  mode: Mode;
  searchId: string;
}

/** Forgets the tracks of a saved search of which endpoints were to be told later. */
export async function dropHeld(queries: Queries, search: SearchName): Promise<void> {
  await queries
    .updateTable('webhookChains')
    .set({ held: null })
    .where('webhookRowId', 'in', ({ selectFrom }) =>
      selectFrom('webhooks')
        .select('rowId')
        .where('clientRowId', '=', search.clientRowId)
        .where('mode', '=', search.mode),
    )
    .where('type', '=', 'saved_search.matched')
    .where('subject', '=', search.searchId)
    .execute();
}

/** Removes the chains of a saved search that is deleted. */
export async function endSubject(queries: Queries, search: SearchName): Promise<void> {
  await queries
    .deleteFrom('webhookChains')
    .where('webhookRowId', 'in', ({ selectFrom }) =>
      selectFrom('webhooks')
        .select('rowId')
        .where('clientRowId', '=', search.clientRowId)
        .where('mode', '=', search.mode),
    )
    .where('type', '=', 'saved_search.matched')
    .where('subject', '=', search.searchId)
    .execute();
}
