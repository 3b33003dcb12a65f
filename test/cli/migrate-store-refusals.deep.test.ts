import { describe, expect, it } from 'vitest';
import { TABLES } from '../../src/engines/sql/copied-tables.ts';
import { migrateStore } from '../../src/operator/migrate-store.ts';
import { stave, staveJson } from '../harness/cli.ts';
import { POSTGRES_URL } from '../harness/services.ts';
import {
  fillLittle,
  moveAndStopAt,
  newDatabase,
  newFolder,
  open,
  query,
  removePlacesAfterTests,
} from './migrate-store-support.ts';

removePlacesAfterTests();

describe.skipIf(POSTGRES_URL === undefined)('stave migrate-store', () => {
  it('refuses to continue after the source has changed', async () => {
    const [data, url] = [newFolder().at('data'), await newDatabase()];
    await fillLittle(data);
    await expect(moveAndStopAt(data, url, 'tracks')).rejects.toThrow('stopped');
    await staveJson(data, ['clients', 'create', '-n', 'Late', '-s', 'tracks']);
    const changed =
      /has changed since the move began: stop imports and commands, drop .*, and run stave migrate-store again\.$/;
    const ran = await stave(data, ['migrate-store', '--to', url]);
    expect(ran.code).toBe(1);
    expect(ran.stderr.trim()).toMatch(changed);

    // The source changes while the move runs.
    const [from, to] = [await open({ folder: data }), await open({ url: await newDatabase() })];
    let isChanged = false;
    const moving = migrateStore(from, to, {
      onProgress() {
        if (!isChanged) void stave(data, ['tracks', 'takedown', 'track-3']);
        isChanged = true;
      },
    });
    await expect(moving).rejects.toThrow(changed);
    await Promise.all([from.close(), to.close()]);
  });

  it('keeps a target that was complete and has been used since', async () => {
    const [data, url] = [newFolder().at('data'), await newDatabase()];
    await fillLittle(data);
    expect((await stave(data, ['migrate-store', '--to', url])).code).toBe(0);
    // The change log does not contain reported use, so both sides still have one head.
    await query(url, 'DELETE FROM usage_events');
    const ran = await stave(data, ['migrate-store', '--to', url]);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(
      /^stave: The row of \S+ with .* is missing in (\S+): keep \1, which an earlier move completed, and name an empty database with --to\.\n$/,
    );
  });

  it('refuses a target with another catalog', async () => {
    const [data, other] = [newFolder().at('data'), newFolder().at('data')];
    const [url, partly] = [await newDatabase(), await newDatabase()];
    for (const one of [data, other]) await fillLittle(one);
    await stave(data, ['clients', 'create', '-n', 'A', '-s', 'tracks'], {
      env: { STAVE_DATABASE_URL: url },
    });
    await expect(moveAndStopAt(other, partly, 'tracks')).rejects.toThrow('stopped');
    for (const [args, line] of [
      [[], 'the target is not known: give --to, or set STAVE_DATABASE_URL'],
      [['--to', url], 'holds a catalog already: name an empty database with --to'],
      [['--to', partly], 'holds a part of another catalog, whose move is unfinished'],
      [['--to', `sqlite:${data}`], '--from and --to are the same place'],
      [['--to', 'mysql://u:sesame@h/d'], '--to must be sqlite:FOLDER or postgres://'],
      [['--from', 'sqlite:/nonexistent', '--to', url], 'there is no catalog in /nonexistent'],
      [['--from', partly, '--to', url], 'is unfinished: run stave migrate-store again'],
      [['--from', await newDatabase(), '--to', `sqlite:${data}2`], 'There is no catalog in'],
      [['--to', 'postgres://u:sesame@127.0.0.1:1/x'], 'cannot be reached'],
    ] as const) {
      const env = { STAVE_DATABASE_WAIT: '0' };
      const ran = await stave(data, ['migrate-store', ...args], { env });
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
      expect(ran.stderr).toContain(line);
      expect(ran.stderr).not.toContain('sesame');
    }
    await query(url, 'ALTER TABLE tracks ADD COLUMN mood text; CREATE TABLE moods (no bigint)');
    const newer = await stave(data, ['migrate-store', '--to', url]);
    expect(newer.stderr).toContain('cannot move (moods, tracks.mood)');
  });

  it('lets only one process write to the target', async () => {
    const [data, url] = [newFolder().at('data'), await newDatabase()];
    await fillLittle(data);
    const runs = await Promise.all(
      [1, 2].map(() => stave(data, ['migrate-store', '--to', url, '--json'])),
    );
    for (const { code, stderr } of runs) {
      if (code !== 0) expect(stderr).toMatch(/Something else writes to .*: stop it, and run/);
    }
    const last = await stave(data, ['migrate-store', '--to', url, '--json']);
    expect(last.code).toBe(0);
  });

  it('knows every column of both schemas', async () => {
    for (const place of [{ folder: newFolder().at('data') }, { url: await newDatabase() }]) {
      const store = await open(place);
      expect(await store.tables.unknownTables()).toEqual([]);
      for (const table of TABLES) expect(await store.tables.rowsAfter(table, null, 1)).toEqual([]);
      await store.close();
    }
  });
});
