import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serve, someTracks, start, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { wav } from '../harness/wav.ts';
import { filledCatalog } from './backup-support.ts';

const changes = (data: string) => staveJson(data, ['changes', 'status']);

describe('stave backup and restore', () => {
  it('bring back database, keys, media and credentials', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    const { clientId, liveSecret } = await filledCatalog(data, folder.at('sources'));
    await using original = await serve(data);
    const token = await original.token(clientId, liveSecret);

    const backup = await staveJson(data, ['backup', folder.at('backup')]);
    expect(backup).toMatchObject({
      path: folder.at('backup'),
      counts: { live: 23, takenDown: 0, playlists: 1, clients: 1, media: 2 },
      files: 3,
      lostMedia: [],
    });
    expect(readdirSync(folder.at('backup')).sort()).toEqual([
      'backups',
      'databases',
      'lock',
      'lock.db',
      'media',
    ]);
    expect(statSync(folder.at('backup')).mode & 0o077).toBe(0);

    const restored = folder.at('restored');
    const result = await staveJson(restored, ['restore', folder.at('backup')]);
    expect(result).toMatchObject({ dataFolder: restored, counts: backup.counts });
    expect(readdirSync(restored).sort()).toEqual(['lock', 'lock.db', 'media', 'stave.db']);
    expect((await stave(restored, ['doctor', '--json'])).json.healthy).toBe(true);
    // The numbers of later changes are assigned again, so that positions from before are invalid.
    const [before, after] = [await changes(data), await changes(restored)];
    expect(after).toEqual({ ...before, epoch: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(before.epoch).toMatch(/^[0-9a-f]{16}$/);
    expect(after.epoch).not.toBe(before.epoch);

    await using copy = await serve(restored);
    expect((await copy.get('/v1/tracks', token)).body.data.totalRecords).toBe(23);
    const again = await copy.token(clientId, liveSecret);
    const { body } = await copy.get('/v1/tracks/one', again);
    const audio = await fetch(body.data.streamUrl);
    expect(audio.status).toBe(200);
    expect(Buffer.from(await audio.arrayBuffer())).toEqual(wav(800));
    expect((await copy.get('/v1/playlists/night/tracks', again)).body.data.totalRecords).toBe(2);
  });

  it('are consistent while an import runs', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    mkdirSync(folder.at('sources'));
    const count = 300;
    const records = Array.from({ length: count }, (_, i) => {
      writeFileSync(folder.at('sources', `${i}.wav`), wav(100 + i));
      return JSON.stringify({
        externalId: `${i}`,
        name: `Tone ${i}`,
        type: 'sfx',
        audio: `${i}.wav`,
      });
    });
    // Enough records without audio that the import is still running.
    const text = `${records.join('\n')}\n${someTracks(20_000)}`;
    writeFileSync(folder.at('sources', 'all.ndjson'), text);

    const importing = start(data, ['import', folder.at('sources', 'all.ndjson'), '--json']);
    let running = true;
    const ended = new Promise((resolve) => importing.once('close', resolve)).then(() => {
      running = false;
    });
    await until(async () => existsSync(`${data}/stave.db`), 'the import to begin');
    let taken = 0;
    const seen: number[] = [];
    do {
      const name = folder.at(`backup-${taken}`);
      const backup = await stave(data, ['backup', name, '--json']);
      expect(backup.stderr).toBe('');
      taken += 1;
      const restored = folder.at(`restored-${taken}`);
      await staveJson(restored, ['restore', name]);
      const doctor = await stave(restored, ['doctor', '--json']);
      const checks = doctor.json.findings.filter((one: { check: string }) =>
        ['database', 'media'].includes(one.check),
      );
      expect(checks.map((one: { status: string }) => one.status)).toEqual(['ok', 'ok']);
      seen.push(backup.json.counts.live);
    } while (running && taken < 5);
    await ended;
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect((await staveJson(data, ['log', '--limit', '1']))[0].seq).toBeGreaterThanOrEqual(count);
  });

  it('delete the files of a killed restore', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.at('data'), ['keys', 'rotate']);
    await staveJson(folder.at('data'), ['backup', folder.at('backup')]);
    mkdirSync(folder.at('restored', '.restore-killed'), { recursive: true });
    copyFileSync(folder.at('data', 'stave.db'), folder.at('restored', '.restore-killed', 'x'));
    await staveJson(folder.at('restored'), ['restore', folder.at('backup')]);
    expect(readdirSync(folder.at('restored'))).toEqual(['lock', 'lock.db', 'stave.db']);
  });

  it('report missing media that the catalog names', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    await filledCatalog(data, folder.at('sources'));
    const { audioKey } = await staveJson(data, ['tracks', 'show', 'two']);
    const stored = readdirSync(`${data}/media`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(audioKey))
      .map((entry) => `${entry.parentPath}/${entry.name}`)[0]!;
    rmSync(stored);
    const ran = await stave(data, ['backup', folder.at('backup'), '--json']);
    expect(ran.code).toBe(0);
    expect(ran.json.lostMedia).toEqual([audioKey]);
    expect(ran.stderr).toMatch(/^stave: 1 media file[^\n]*stave doctor[^\n]*\n$/);
    await staveJson(folder.at('restored'), ['restore', folder.at('backup')]);
  });
});
