import { describe, expect, it } from 'vitest';
import { TABLES } from '../../src/engines/sql/copied-tables.ts';
import { serve, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { POSTGRES_URL } from '../harness/services.ts';
import { wav } from '../harness/wav.ts';
import { filledCatalog } from './backup-support.ts';
import { newDatabase, removePlacesAfterTests } from './migrate-store-support.ts';
import { postgresRows, sqliteRows } from './stored-rows.ts';

removePlacesAfterTests();

describe.skipIf(POSTGRES_URL === undefined)('a backup of a catalog in PostgreSQL', () => {
  it('has the same rows and media, serves as SQLite, and moves to a server again', async () => {
    using folder = temporaryFolder();
    const [first, data, target] = [folder.at('first'), folder.at('data'), folder.at('backups')];
    const { clientId, liveSecret } = await filledCatalog(first, folder.at('sources'));
    const within = (url: string) => ({ env: { STAVE_DATABASE_URL: url } });
    const options = within(await newDatabase());
    const run = async (dataFolder: string, args: string[], given = options) => {
      const ran = await stave(dataFolder, [...args, '--json'], given);
      expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
      return ran.json;
    };
    await run(first, ['migrate-store']);

    const made = await run(first, ['backup', target]);
    expect(made).toMatchObject({ counts: { live: 23, media: 2 }, copied: { files: 2 } });
    const again = await run(first, ['backup', target, '--keep', 'daily=1,weekly=2']);
    expect(again.copied.files).toBe(0);
    expect(await run(first, ['backup', 'verify', target, '--deep'])).toMatchObject({
      problems: [],
    });
    expect((await run(first, ['doctor'])).findings).toContainEqual(
      expect.objectContaining({ check: 'backup', status: 'ok' }),
    );

    await staveJson(data, ['restore', target]);
    const there = await postgresRows(options.env.STAVE_DATABASE_URL);
    const restored = sqliteRows(data);
    // Each store has settings of its own, such as the epoch of its change log.
    for (const { name } of TABLES.filter(({ name }) => name !== 'settings')) {
      expect(restored[name], name).toEqual(there[name]);
    }
    {
      await using service = await serve(data);
      const token = await service.token(clientId, liveSecret);
      const { body } = await service.get('/v1/tracks/one', token);
      const audio = await fetch(body.data.streamUrl);
      expect(Buffer.from(await audio.arrayBuffer())).toEqual(wav(800));
      await service.stop();
    }
    const moved = within(await newDatabase());
    expect((await run(data, ['migrate-store'], moved)).tables.tracks.rows).toBe(23);
  });
});
