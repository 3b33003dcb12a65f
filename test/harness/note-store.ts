import type { WriteContext } from '../../src/common/caller.ts';
import { StaveError } from '../../src/common/errors.ts';
import { newId } from '../../src/common/ids.ts';
import type { Queries, SqlDatabase } from '../../src/engines/sql/database.ts';

/** A resource that its client may change. */
export interface Note {
  id: string;
  text: string;
  version: number;
}

const PREFIX = 'note:';

/** Notes in a table of the store that no product code uses for them. */
export class NoteStore {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  create(text: string, context: WriteContext<Note>): Promise<Note> {
    return this.#database.apart(async (queries) => {
      const note = { id: newId(), text, version: 1 };
      await queries.insertInto('settings').values(rowOf(note)).execute();
      return note;
    }, context);
  }

  /** Throws `not_found`. */
  async get(id: string, queries: Queries = this.#database.queries): Promise<Note> {
    const row = await queries
      .selectFrom('settings')
      .select('value')
      .where('name', '=', `${PREFIX}${id}`)
      .executeTakeFirst();
    if (row === undefined) throw new StaveError('not_found', 'There is no such note.');
    return JSON.parse(row.value) as Note;
  }

  /** `check` gets the version before the change, and may throw. */
  update(
    id: string,
    text: string,
    check: (version: number) => void,
    context: WriteContext<Note>,
  ): Promise<Note> {
    return this.#database.write(async ({ queries, log }) => {
      const { version } = await this.get(id, queries);
      check(version);
      const note = { id, text, version: version + 1 };
      const { name, value } = rowOf(note);
      await queries.updateTable('settings').set({ value }).where('name', '=', name).execute();
      await log('collection', [['updated', id]], context);
      return note;
    }, context);
  }

  delete(id: string, check: (version: number) => void, context: WriteContext<void>): Promise<void> {
    return this.#database.write(async ({ queries }) => {
      const note = await this.get(id, queries);
      check(note.version);
      await queries.deleteFrom('settings').where('name', '=', rowOf(note).name).execute();
    }, context);
  }

  /** The texts of all notes, sorted. */
  async texts(): Promise<string[]> {
    const rows = await this.#database.queries
      .selectFrom('settings')
      .select('value')
      .where('name', 'like', `${PREFIX}%`)
      .execute();
    return rows.map(({ value }) => (JSON.parse(value) as Note).text).sort();
  }
}

function rowOf(note: Note): { name: string; value: string } {
  return { name: `${PREFIX}${note.id}`, value: JSON.stringify(note) };
}
