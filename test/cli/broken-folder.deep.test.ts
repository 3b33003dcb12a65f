import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import {
  MAIN,
  type Ran,
  serve,
  someTracks,
  stave,
  staveJson,
  staveProcess,
  temporaryFolder,
} from '../harness/cli.ts';
import { smallDisk } from '../harness/small-disk.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

function expectOneLine(ran: Ran, hint: RegExp): void {
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
  expect(ran.stderr).toMatch(hint);
}

describe('a data folder that cannot be used fails in one line', () => {
  it('because it is a file', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.at('data'), '');
    for (const args of [['serve'], ['clients', 'list']]) {
      expectOneLine(await staveProcess(folder.at('data'), args, quiet), /data/);
    }
  });

  it('because its database is another file', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.at('stave.db'), 'not a database at all, only text. '.repeat(200));
    for (const args of [['serve'], ['clients', 'list']]) {
      expectOneLine(await staveProcess(folder.path, args, quiet), /not a database|damaged/);
    }
  });

  it('because its database is damaged', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.at('tracks.ndjson'), someTracks(300));
    await staveJson(folder.at('data'), ['import', folder.at('tracks.ndjson')]);
    const path = folder.at('data', 'stave.db');
    const size = statSync(path).size;
    const zeros = Buffer.alloc(size - 4096);
    const bytes = Buffer.concat([execFileSync('head', ['-c', '4096', path]), zeros]);
    writeFileSync(path, bytes);
    expectOneLine(
      await staveProcess(folder.at('data'), ['serve'], quiet),
      /damaged|not a database/,
    );
    const doctor = await stave(folder.at('data'), ['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^✗ database: /m);
  });

  it('because a newer version wrote it', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.path, ['keys', 'rotate']);
    const database = new DatabaseSync(folder.at('stave.db'));
    makeNewer(database);
    database.close();
    for (const args of [['serve'], ['log'], ['backup', folder.at('backup')]]) {
      expectOneLine(await staveProcess(folder.path, args, quiet), /newer/);
    }
  });

  const canBeNobody = isRoot && nobodyMayRun();
  it.skipIf(isRoot && !canBeNobody)(
    'because it is read-only (skipped for root if the user nobody cannot read the checkout)',
    async () => {
      using folder = temporaryFolder();
      chmodSync(folder.path, 0o755);
      mkdirSync(folder.at('data'), { mode: 0o555 });
      const options = { ...quiet, ...(isRoot ? { uid: NOBODY } : {}) };
      for (const args of [['serve'], ['clients', 'create', '-n', 'A', '-s', 'search']]) {
        expectOneLine(
          await staveProcess(folder.at('data'), args, options),
          /EACCES|writable|permission/,
        );
      }
      const doctor = await staveProcess(folder.at('data'), ['doctor'], options);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(/^✗ data folder: /m);
    },
  );
});

describe('a full disk', () => {
  const folder = smallDisk(6);

  it.skipIf(!folder.mounted)(
    'is reported in one line, loses nothing, and permits reads (skipped if a small disk cannot be mounted)',
    async () => {
      using sources = temporaryFolder();
      const data = folder.at('data');
      writeFileSync(sources.at('few.ndjson'), someTracks(50));
      writeFileSync(sources.at('many.ndjson'), someTracks(60_000));
      await staveJson(data, ['import', sources.at('few.ndjson')]);
      const scopes = 'tracks,search';
      const client = await staveJson(data, ['clients', 'create', '-n', 'A', '-s', scopes]);
      await using service = await serve(data);
      const token = await service.token(client.clientId, client.liveSecret);

      const ran = await staveProcess(data, ['import', sources.at('many.ndjson')]);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/^stave: [^\n]*(full|[Nn]o space)[^\n]*$/m);
      expect(ran.stderr).not.toContain('    at ');

      expect((await service.get('/v1/tracks/track-50', token)).status).toBe(200);
      const backup = await stave(data, ['backup', folder.at('backup')]);
      expectOneLine(backup, /full|[Nn]o space/);
      expect(readdirSync(folder.at('backup')).sort()).toEqual(['lock', 'lock.db']);
      const restore = await stave(data, ['backup', sources.at('backup'), '--json']);
      expect(restore.code).toBe(0);
      expect(restore.json.counts.live).toBeGreaterThanOrEqual(50);
    },
  );

  it.skipIf(!folder.mounted)('stops a start, with one line (skipped as above)', async () => {
    mkdirSync(folder.at('rest'));
    const start = (name: string) => staveProcess(folder.at(name), ['serve'], quiet);
    untilFull(() => writeFileSync(folder.at('rest', 'file'), Buffer.alloc(4096), { flag: 'a' }));
    expectOneLine(await start('new'), /[Nn]o space/);
    rmSync(folder.at('rest', 'file'));
    let count = 0;
    untilFull(() => writeFileSync(folder.at('rest', `${count++}`), ''));
    expectOneLine(await start('newer'), /[Nn]o space/);
    rmSync(folder.at('rest'), { recursive: true });
  });

  it.skipIf(!folder.mounted)(
    'stops a restore, which leaves nothing (skipped as above)',
    async () => {
      using sources = temporaryFolder();
      writeFileSync(sources.at('many.ndjson'), someTracks(20_000));
      await staveJson(sources.at('data'), ['import', sources.at('many.ndjson')]);
      await staveJson(sources.at('data'), ['backup', sources.at('backup')]);
      expectOneLine(
        await stave(folder.at('other'), ['restore', sources.at('backup')]),
        /full|space/,
      );
      expect(existsSync(folder.at('other')) ? readdirSync(folder.at('other')) : []).toEqual([]);
    },
  );
});

const quiet = { env: { STAVE_LOG_LEVEL: 'silent' } };

/** Marks the database as written by a later version. */
function makeNewer(database: DatabaseSync): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
    user_version: number;
  };
  database.exec(`PRAGMA user_version = ${version + 1}`);
}

function nobodyMayRun(): boolean {
  const ran = spawnSync(process.execPath, [MAIN, '--version'], { uid: NOBODY, gid: NOBODY });
  return ran.status === 0;
}

/** Repeats a write until the disk has no room for it. */
function untilFull(write: () => void): void {
  for (let i = 0; i < 10_000; i++) {
    try {
      write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
  }
  throw new Error('the disk is not full');
}
