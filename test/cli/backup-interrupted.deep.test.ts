import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockFolder } from '../../src/engines/sql/sqlite/folder-lock.ts';
import {
  type Json,
  someTracks,
  start,
  stave,
  staveJson,
  staveProcess,
  temporaryFolder,
} from '../harness/cli.ts';
import { faultAt } from '../harness/fault-at.ts';
import { smallDisk } from '../harness/small-disk.ts';
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

it('a backup that is killed during the copy of the database leaves the earlier ones whole', async () => {
  using folder = temporaryFolder();
  const [data, target] = [folder.at('data'), folder.at('backups')];
  writeFileSync(folder.at('many.ndjson'), someTracks(10_000));
  await staveJson(data, ['import', folder.at('many.ndjson')]);
  const { createdAt } = await staveJson(data, ['backup', target]);
  const child = start(data, ['backup', target]);
  const ended = once(child, 'close');
  await until(() => readdirSync(target).some((name) => name.startsWith('.')), 'the copy');
  await new Promise((resolve) => setTimeout(resolve, random.integer(0, 20)));
  child.kill('SIGKILL');
  await ended;
  await expectWhole(data, target, [createdAt]);
  await staveJson(data, ['backup', target]);
  expect(readdirSync(target).sort()).toEqual(IN_REPOSITORY);
});

/** What a folder with two backups has in turn while a third one replaces them. */
const STATES = {
  full: [
    '2 backups, 2 databases, 1 lists',
    '2 backups, 3 databases, 1 lists',
    '2 backups, 3 databases, 2 lists',
  ],
  kill: [
    '2 backups, 2 databases, 1 lists',
    '2 backups, 3 databases, 1 lists',
    '2 backups, 3 databases, 2 lists',
    '3 backups, 3 databases, 2 lists',
    '1 backups, 3 databases, 2 lists',
    '1 backups, 1 databases, 1 lists',
  ],
};

describe('a backup that removes older ones', () => {
  it.each(['kill', 'full'] as const)(
    'may end at any step (%s), and the next one ends what it began',
    async (fault) => {
      using folder = temporaryFolder();
      const [data, before] = [folder.at('data'), folder.at('before')];
      await importTones(data, folder.at('sources'), 'a', 1);
      const older = [
        (await staveJson(data, ['backup', before])).createdAt,
        (await staveJson(data, ['backup', before])).createdAt,
      ];
      await importTones(data, folder.at('sources'), 'bb', 1);
      const reached = new Set<string>();
      for (let step = 1; ; step++) {
        const target = folder.at(`backups-${step}`);
        cpSync(before, target, { recursive: true });
        const args = ['backup', target, '--keep', 'daily=1'];
        const ran = await staveProcess(data, args, { env: faultAt(step, fault, target) });
        if (ran.code === 0) break;
        if (fault === 'full')
          expect(ran.stderr).toMatch(/^stave: no space is left for a backup in /);
        else expect(ran).toMatchObject({ code: null, stderr: '' });
        const { problems } = await staveJson(data, ['backup', 'verify', target, '--deep']);
        expect(problems, `step ${step}`).toEqual([]);
        const listed: Json[] = await staveJson(data, ['backup', 'list', target]);
        const times = listed.map(({ createdAt }) => createdAt);
        const isMade = times[0]! > older[1]!;
        if (!isMade) expect(times).toEqual(older.toReversed());
        const databases = filesBelow(join(target, 'databases'));
        const has = (end: string) => databases.filter((name) => name.endsWith(end)).length;
        reached.add(`${times.length} backups, ${has('.db')} databases, ${has('.txt')} lists`);

        await staveJson(data, args);
        expect(readdirSync(target).sort()).toEqual(IN_REPOSITORY);
        const { files, backups } = await staveJson(data, ['backup', 'verify', target]);
        const left = filesBelow(target).filter((path) => /^\w+\/[0-9a-f]{2}\//.test(path));
        expect([backups, left.length]).toEqual([1, files + 1]);
        rmSync(target, { recursive: true });
      }
      expect([...reached]).toEqual(expect.arrayContaining(STATES[fault]));
    },
  );
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
  expect(ran.stderr).toBe(
    `stave: another backup to ${folder.at('link')} (process ${process.pid} on here, since now) runs: wait until it has ended\n`,
  );
  expect((await stave(data, ['backup', folder.at('elsewhere')])).code).toBe(0);
});

describe('a full disk', () => {
  const disk = smallDisk(8);

  it.skipIf(!disk.mounted)(
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

describe('a read-only disk', () => {
  const disk = smallDisk(8);

  it.skipIf(!disk.mounted)(
    'is enough for all but a backup (skipped if none can be mounted)',
    async () => {
      using folder = temporaryFolder();
      const [data, target] = [folder.at('data'), disk.at('backups')];
      await importTones(data, folder.at('sources'), 'a', 1);
      const { createdAt } = await staveJson(data, ['backup', target]);
      for (const name of ['backups', 'databases', 'media']) {
        rmdirSync(join(target, name, 'incoming'));
      }
      execFileSync('mount', ['-o', 'remount,ro', disk.path]);
      await expectWhole(data, target, [createdAt]);
      expect((await staveJson(folder.at('new'), ['restore', target])).counts.media).toBe(1);
      for (const path of [target, disk.at('new')]) {
        const ran = await stave(data, ['backup', path]);
        expect(ran).toMatchObject({ code: 1, stdout: '' });
        expect(ran.stderr).toBe(
          `stave: ${path} is read-only for this process. In a unit of systemd, make the folder, name it in ReadWritePaths= (\`systemctl edit stave\`), and restart the service\n`,
        );
      }
    },
  );
});
