import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { lockFolder } from '../../src/engines/sql/sqlite/folder-lock.ts';
import { type Json, someTracks, start, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { mountSmallDisk, unmount } from '../harness/small-disk.ts';
import { testRandom } from '../harness/test-random.ts';
import { until } from '../harness/until.ts';
import { wav } from '../harness/wav.ts';
import { filesBelow } from './backup-support.ts';

const random = testRandom('times of kills');
const IN_REPOSITORY = ['backups', 'databases', 'lock', 'lock.db', 'media'];

/** Imports tracks, each with a recording of its own. */
async function importTones(data: string, sources: string, name: string, count: number) {
  mkdirSync(sources, { recursive: true });
  const records = Array.from({ length: count }, (_, i) => {
    const file = `${name}-${i}.wav`;
    writeFileSync(join(sources, file), wav(3_000 + name.length * 1_000 + i));
    return JSON.stringify({ externalId: file, name: file, type: 'sfx', audio: file });
  });
  writeFileSync(join(sources, `${name}.ndjson`), records.join('\n'));
  await staveJson(data, ['import', join(sources, `${name}.ndjson`)]);
}

/** Expects that all backups of these times are there and whole. */
async function expectWhole(data: string, target: string, times: readonly string[]): Promise<void> {
  const { problems } = await staveJson(data, ['backup', 'verify', target, '--deep']);
  expect(problems).toEqual([]);
  const listed = await staveJson(data, ['backup', 'list', target]);
  const found = listed.map(({ createdAt }: Json) => createdAt);
  expect(found).toEqual(expect.arrayContaining([...times]));
}

/** Otherwise, the next backup would have to wait until the lease of the killed one expires. */
function endLeases(data: string): void {
  const database = new DatabaseSync(join(data, 'stave.db'));
  database.exec('DELETE FROM leases');
  database.close();
}

it('a backup that is killed at any step leaves the earlier ones whole, and the next one ends what it began', async () => {
  using folder = temporaryFolder();
  const [data, target] = [folder.at('data'), folder.at('backups')];
  writeFileSync(folder.at('many.ndjson'), someTracks(10_000));
  await staveJson(data, ['import', folder.at('many.ndjson')]);
  await importTones(data, folder.at('sources'), 'a', 30);
  const { createdAt } = await staveJson(data, ['backup', target]);
  let before: string[] = [];
  const grown = (part: string) => () =>
    filesBelow(join(target, part)).length >
    before.filter((path) => path.startsWith(`${part}/`)).length;
  /** What is seen in the folder when each step has begun. */
  const steps: Record<string, () => boolean> = {
    'the copy of the database': () => readdirSync(target).some((name) => name.startsWith('.')),
    'the copy of the media': grown('media'),
    'the storing of the database': grown('databases'),
  };
  let n = 0;
  for (const hasBegun of [...Object.values(steps), ...Object.values(steps)]) {
    await importTones(data, folder.at('sources'), `b${'b'.repeat(++n)}`, 30);
    before = filesBelow(target);
    const child = start(data, ['backup', target, '--keep', 'daily=1,weekly=9,monthly=9']);
    const ended = once(child, 'close');
    await until(() => hasBegun() || child.exitCode !== null, 'the step');
    await new Promise((resolve) => setTimeout(resolve, random.integer(0, 20)));
    child.kill('SIGKILL');
    await ended;
    endLeases(data);
    await expectWhole(data, target, n === 1 ? [createdAt] : []);
  }
  const last = await staveJson(data, ['backup', target, '--keep', 'daily=1']);
  expect(readdirSync(target).sort()).toEqual(IN_REPOSITORY);
  await expectWhole(data, target, [last.createdAt]);
  const restored = await staveJson(folder.at('new'), ['restore', target]);
  expect(restored.counts).toMatchObject({ live: 10_030 + n * 30, media: 30 + n * 30 });
});

it('a backup waits for no other one to the same place', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  await staveJson(data, ['keys', 'rotate']);
  mkdirSync(folder.at('backups'));
  symlinkSync(folder.at('backups'), folder.at('link'));
  const holder = { command: 'stave backup', host: 'here', pid: process.pid, since: 'now' };
  const locked = await lockFolder(folder.at('backups'), holder);
  if (!('lock' in locked)) throw new Error('the folder is locked already');
  using _lock = locked.lock;
  const ran = await stave(data, ['backup', folder.at('link')]);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^stave: another backup to \S+ runs: wait[^\n]*\n$/);
  expect((await stave(data, ['backup', folder.at('elsewhere')])).code).toBe(0);
});

describe('a full disk', () => {
  const disk = temporaryFolder();
  const mounted = mountSmallDisk(disk.path, 8);
  afterAll(() => {
    if (mounted) unmount(disk.path);
    disk[Symbol.dispose]();
  });

  it.skipIf(!mounted)(
    'at any step leaves the earlier backups whole (skipped if a small disk cannot be mounted)',
    async () => {
      using folder = temporaryFolder();
      const [data, target] = [folder.at('data'), disk.at('backups')];
      writeFileSync(folder.at('few.ndjson'), someTracks(200));
      await staveJson(data, ['import', folder.at('few.ndjson')]);
      await importTones(data, folder.at('sources'), 'a', 10);
      const { createdAt } = await staveJson(data, ['backup', target]);
      await importTones(data, folder.at('sources'), 'bb', 40);
      let failed = 0;
      for (let free = 100_000; ; free += 150_000) {
        const { bavail, bsize } = statfsSync(disk.path);
        writeFileSync(disk.at('filler'), Buffer.alloc(Math.max(0, bavail * bsize - free)));
        const ran = await stave(data, ['backup', target]);
        rmSync(disk.at('filler'));
        await expectWhole(data, target, [createdAt]);
        expect(readdirSync(target).sort()).toEqual(IN_REPOSITORY);
        if (ran.code === 0) break;
        failed++;
        expect(ran.stderr).toMatch(
          /^stave: no space is left for a backup in \S+; earlier backups are as they were\n$/,
        );
      }
      expect(failed).toBeGreaterThan(3);
      expect(existsSync(disk.at('filler'))).toBe(false);
      const restored = await staveJson(folder.at('new'), ['restore', target]);
      expect(restored.counts.media).toBe(50);
    },
  );
});
