import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import {
  type Json,
  serve,
  someTracks,
  start,
  stave,
  staveJson,
  temporaryFolder,
  until,
  wav,
} from './harness.ts';

/** A data folder with a client, a playlist, and tracks with and without audio. */
async function house(data: string, sources: string) {
  mkdirSync(sources, { recursive: true });
  writeFileSync(`${sources}/one.wav`, wav(800));
  writeFileSync(`${sources}/two.wav`, wav(1600));
  const records = [
    { externalId: 'a1', name: 'One', type: 'sfx', audio: 'one.wav' },
    { externalId: 'a2', name: 'Two', type: 'sfx', audio: 'two.wav' },
    { externalId: 'a3', name: 'One again', type: 'sfx', audio: 'one.wav' },
  ];
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(`${sources}/tracks.ndjson`, lines + someTracks(20));
  await staveJson(data, ['import', `${sources}/tracks.ndjson`]);
  await staveJson(data, ['playlists', 'create', '-n', 'Night', '-t', 'one,track-1']);
  const scopes = 'tracks,search,filters,playlists';
  const client = await staveJson(data, ['clients', 'create', '-n', 'Acme', '-s', scopes]);
  await staveJson(data, ['playlists', 'grant', 'night', '--client', client.clientId]);
  return client;
}

describe('stave backup and restore', () => {
  it('bring back database, keys, media and credentials', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    const { clientId, liveSecret } = await house(data, folder.at('sources'));
    await using original = await serve(data);
    const token = await original.token(clientId, liveSecret);

    const backup = await staveJson(data, ['backup', folder.at('backup')]);
    expect(backup).toMatchObject({
      path: folder.at('backup'),
      counts: { live: 23, takenDown: 0, playlists: 1, clients: 1, media: 2 },
      files: 3,
      lostMedia: [],
    });
    expect(readdirSync(folder.at('backup')).sort()).toEqual(['manifest.json', 'media', 'stave.db']);
    expect(statSync(folder.at('backup')).mode & 0o077).toBe(0);

    const restored = folder.at('restored');
    const told = await staveJson(restored, ['restore', folder.at('backup')]);
    expect(told).toMatchObject({ dataFolder: restored, counts: backup.counts });
    expect(readdirSync(restored).sort()).toEqual(['media', 'stave.db']);
    expect((await stave(restored, ['doctor', '--json'])).json.healthy).toBe(true);

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
    // Enough records without audio around them that the import is still at it.
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

  it('refuse a target that is not empty', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.at('data'), ['keys', 'rotate']);
    mkdirSync(folder.at('taken'));
    writeFileSync(folder.at('taken', 'mine.txt'), 'mine');
    const ran = await stave(folder.at('data'), ['backup', folder.at('taken')]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*is not empty[^\n]*\n$/);
    expect(readdirSync(folder.at('taken'))).toEqual(['mine.txt']);
  });

  it('leave a catalog in PostgreSQL to its own tools', async () => {
    using folder = temporaryFolder();
    const env = { STAVE_DATABASE_URL: 'postgres://stave:sesame@db.example.com/stave' };
    for (const command of ['backup', 'restore']) {
      const ran = await stave(folder.at('data'), [command, folder.at('copy')], { env });
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: A catalog in PostgreSQL is backed up [^\n]+\n$/);
    }
  });

  it('refuse a data folder that holds a catalog', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.at('data'), ['keys', 'rotate']);
    await staveJson(folder.at('data'), ['backup', folder.at('backup')]);
    const before = readFileSync(folder.at('data', 'stave.db'));
    const ran = await stave(folder.at('data'), ['restore', folder.at('backup')]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^stave: [^\n]*already holds a catalog[^\n]*\n$/);
    expect(readFileSync(folder.at('data', 'stave.db'))).toEqual(before);
  });

  it('refuse what is damaged or unfinished, and leave nothing behind', async () => {
    using folder = temporaryFolder();
    await house(folder.at('data'), folder.at('sources'));
    await staveJson(folder.at('data'), ['backup', folder.at('good')]);
    const media = readdirSync(folder.at('good', 'media'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.at('good').length + 1));
    const manifest = JSON.parse(readFileSync(folder.at('good', 'manifest.json'), 'utf8'));
    const rewritten = (change: (files: Json[]) => void) => {
      const copy = structuredClone(manifest);
      change(copy.files);
      return JSON.stringify(copy);
    };
    const harm: Record<string, (bad: string) => void> = {
      'no manifest': (bad) => rmSync(`${bad}/manifest.json`),
      'manifest cut short': (bad) =>
        writeFileSync(`${bad}/manifest.json`, JSON.stringify(manifest).slice(0, 300)),
      'manifest of a newer form': (bad) =>
        writeFileSync(`${bad}/manifest.json`, JSON.stringify({ ...manifest, formatVersion: 2 })),
      'a path out of the folder': (bad) =>
        writeFileSync(
          `${bad}/manifest.json`,
          rewritten((files) => {
            files[1].path = 'media/../../escaped';
          }),
        ),
      'a byte changed in the database': (bad) => {
        const bytes = readFileSync(`${bad}/stave.db`);
        bytes[bytes.length - 100]! ^= 1;
        writeFileSync(`${bad}/stave.db`, bytes);
      },
      'a byte more of media': (bad) => appendFileSync(`${bad}/${media[0]}`, 'x'),
      'a file of media gone': (bad) => rmSync(`${bad}/${media[0]}`),
      'another file in its place': (bad) =>
        copyFileSync(`${bad}/${media[0]}`, `${bad}/${media[1]}`),
    };
    for (const [what, damage] of Object.entries(harm)) {
      rmSync(folder.at('bad'), { recursive: true, force: true });
      cpSync(folder.at('good'), folder.at('bad'), { recursive: true });
      damage(folder.at('bad'));
      const ran = await stave(folder.at('restored'), ['restore', folder.at('bad')]);
      expect(ran, what).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr, what).toMatch(/^stave: [^\n]*(backup|damaged|version)[^\n]*\n$/);
      const left = existsSync(folder.at('restored')) ? readdirSync(folder.at('restored')) : [];
      expect(left, what).toEqual([]);
      expect(existsSync(folder.at('escaped'))).toBe(false);
    }
    await staveJson(folder.at('restored'), ['restore', folder.at('good')]);
  });

  it('refuse a damaged database while an earlier backup may still be there', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    mkdirSync(folder.at('sources'));
    writeFileSync(folder.at('sources', 'tracks.ndjson'), someTracks(500));
    await staveJson(data, ['import', folder.at('sources', 'tracks.ndjson')]);
    const database = new DatabaseSync(`${data}/stave.db`);
    const { page_size: pageSize } = database.prepare('PRAGMA page_size').get() as Json;
    const sql = "SELECT rootpage FROM sqlite_master WHERE name = 'tracks_by_source'";
    const { rootpage } = database.prepare(sql).get() as Json;
    database.close();
    const bytes = readFileSync(`${data}/stave.db`);
    // What the index holds is wrong, and nothing but a check of all of it reads that.
    bytes.fill(0x55, rootpage * pageSize - 100, rootpage * pageSize);
    writeFileSync(`${data}/stave.db`, bytes);

    const ran = await stave(data, ['backup', folder.at('backup')]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*damaged[^\n]*\n$/);
    expect(ran.stderr).toContain(`${data}/stave.db`);
    expect(ran.stderr).not.toContain(folder.at('backup'));
    expect(existsSync(folder.at('backup'))).toBe(false);
  });

  it('clear away what a killed restore left', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.at('data'), ['keys', 'rotate']);
    await staveJson(folder.at('data'), ['backup', folder.at('backup')]);
    mkdirSync(folder.at('restored', '.restore-killed'), { recursive: true });
    copyFileSync(folder.at('data', 'stave.db'), folder.at('restored', '.restore-killed', 'x'));
    await staveJson(folder.at('restored'), ['restore', folder.at('backup')]);
    expect(readdirSync(folder.at('restored'))).toEqual(['stave.db']);
  });

  it.runIf(existsSync('/proc/self'))('fail where no folder can be made', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.at('data'), ['keys', 'rotate']);
    await staveJson(folder.at('data'), ['backup', folder.at('backup')]);
    const backup = await stave(folder.at('data'), ['backup', '/proc/stave/backup']);
    const restore = await stave('/proc/stave/data', ['restore', folder.at('backup')]);
    for (const ran of [backup, restore]) {
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
    }
  });

  it('tell of media that the catalog names and that is missing', async () => {
    using folder = temporaryFolder();
    const data = folder.at('data');
    await house(data, folder.at('sources'));
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
