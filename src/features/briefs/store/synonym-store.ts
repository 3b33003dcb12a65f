import type { Actor } from '../../../common/caller.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Synonym } from '../synonyms.ts';

/** The synonyms of the operator. Each import is logged. */
export class SynonymStore extends SqlStore {
  /** All synonyms by term: at most 10,000. */
  async all(): Promise<Synonym[]> {
    const rows = await this.database.queries
      .selectFrom('briefSynonyms')
      .select(['term', 'names'])
      .orderBy('term')
      .execute();
    return rows.map(({ term, names }) => ({ term, names: parseStored<string[]>(names) }));
  }

  /** Replaces all synonyms. Their terms must differ. */
  replace(synonyms: readonly Synonym[], by: Actor): Promise<void> {
    return this.database.write(async ({ queries, log }) => {
      await queries.deleteFrom('briefSynonyms').execute();
      for (let from = 0; from < synonyms.length; from += ROWS_A_STATEMENT) {
        const rows = synonyms
          .slice(from, from + ROWS_A_STATEMENT)
          .map(({ term, names }) => ({ term, names: JSON.stringify(names) }));
        await queries.insertInto('briefSynonyms').values(rows).execute();
      }
      await log('brief', [['synonyms_imported', 'synonyms']], { by, batchId: null });
    });
  }
}

/** Below the number of parameters that a statement may have. */
const ROWS_A_STATEMENT = 1_000;
