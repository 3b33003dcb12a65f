import { hash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type Json, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { filesBelow, filledCatalog } from './backup-support.ts';

describe('a folder with several backups', () => {
  it('has the media once, lists the backups, and gives each of them back', async () => {
    using folder = temporaryFolder();
    const [data, target] = [folder.at('data'), folder.at('backups')];
    await filledCatalog(data, folder.at('sources'));
    const first = await staveJson(data, ['backup', target]);
    expect(first).toMatchObject({ copied: { files: 2 }, removed: [] });
    await staveJson(data, ['tracks', 'takedown', 'one']);
    const second = await staveJson(data, ['backup', target]);
    expect(second).toMatchObject({ copied: { files: 0, sizeBytes: 0 }, counts: { media: 2 } });
    expect(filesBelow(join(target, 'media'))).toHaveLength(2);

    const listed = await staveJson(data, ['backup', 'list', target]);
    expect(listed.map(({ createdAt }: Json) => createdAt)).toEqual([
      second.createdAt,
      first.createdAt,
    ]);
    expect(listed[1]).toMatchObject({ counts: first.counts, sizeBytes: first.sizeBytes });
    const { stdout } = await stave(data, ['backup', 'list', target]);
    expect(stdout.split('\n')[1]).toMatch(
      new RegExp(`^${second.createdAt} +23 +1 +2 +\\d+ KB +0$`),
    );

    const latest = await staveJson(folder.at('a'), ['restore', target]);
    expect(latest).toMatchObject({ createdAt: second.createdAt, counts: { takenDown: 1 } });
    const chosen = ['backup', 'restore', target, '--backup', first.createdAt];
    expect((await staveJson(folder.at('b'), chosen)).counts.takenDown).toBe(0);
    const absent = await stave(folder.at('c'), ['restore', target, '--backup', '2020-01-01']);
    expect(absent).toMatchObject({ code: 1, stdout: '' });
    expect(absent.stderr).toMatch(/has no backup of 2020-01-01: `stave backup list`/);
  });

  it('loses what is not to be kept, and the files of nothing else', async () => {
    using folder = temporaryFolder();
    const [data, target] = [folder.at('data'), folder.at('backups')];
    await filledCatalog(data, folder.at('sources'));
    const first = await staveJson(data, ['backup', target]);
    await staveJson(data, ['keys', 'rotate']);
    const second = await staveJson(data, ['backup', target, '--keep', 'daily=1,monthly=3']);
    // At midnight, the first one may be of another day.
    const sameDay = first.createdAt.slice(0, 10) === second.createdAt.slice(0, 10);
    expect(second.removed).toEqual(sameDay ? [first.createdAt] : []);
    expect(
      filesBelow(join(target, 'databases')).filter((path) => path.endsWith('.db')),
    ).toHaveLength(2 - second.removed.length);
    expect(filesBelow(join(target, 'media'))).toHaveLength(2);
    expect(await staveJson(data, ['backup', 'verify', target, '--deep'])).toMatchObject({
      backups: 2 - second.removed.length,
      problems: [],
    });
    const wrong = await stave(data, ['backup', target, '--keep', 'yearly=1']);
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('such as daily=7,weekly=5,monthly=12');
  });

  it('keeps the backup that was just made after the clock was set back', async () => {
    using folder = temporaryFolder();
    const [data, target] = [folder.at('data'), folder.at('backups')];
    await staveJson(data, ['keys', 'rotate']);
    await staveJson(data, ['backup', target]);
    const [path] = filesBelow(join(target, 'backups')) as [string];
    const later = readFileSync(join(target, 'backups', path), 'utf8').replace(
      /"createdAt":"\d{4}/,
      '"createdAt":"2099',
    );
    const key = hash('sha256', later);
    mkdirSync(join(target, 'backups', key.slice(0, 2)), { recursive: true });
    writeFileSync(join(target, 'backups', key.slice(0, 2), `${key}.json`), later);
    const { createdAt } = await staveJson(data, ['backup', target, '--keep', 'daily=1']);
    const listed: Json[] = await staveJson(data, ['backup', 'list', target]);
    expect(listed.map((one) => one.createdAt)).toEqual([expect.stringMatching(/^2099/), createdAt]);
    const database = new DatabaseSync(join(data, 'stave.db'));
    const set = database.prepare('UPDATE settings SET value = ? WHERE name = ?');
    set.run(JSON.stringify({ at: Date.UTC(2099, 0), place: target }), 'last_backup');
    database.close();
    const { stdout } = await stave(data, ['doctor']);
    expect(stdout).toMatch(/backup: .* 2099-01-01\S+, in \S+, in the future/);
  });

  it('is checked, and mended by the next backup', async () => {
    using folder = temporaryFolder();
    const [data, target] = [folder.at('data'), folder.at('backups')];
    await filledCatalog(data, folder.at('sources'));
    const { createdAt } = await staveJson(data, ['backup', target]);
    const [one, two] = filesBelow(target).filter((path) => path.endsWith('.wav')) as [
      string,
      string,
    ];
    const verify = async (...options: string[]) => {
      const ran = await stave(data, ['backup', 'verify', target, ...options, '--json']);
      return { code: ran.code, problems: ran.json.problems };
    };
    const problem = (file: string, what: string) => ({ backups: [createdAt], file, problem: what });
    appendFileSync(join(target, one), 'x');
    rmSync(join(target, two));
    expect(await verify()).toEqual({
      code: 2,
      problems: [problem(one, 'of another length'), problem(two, 'missing')],
    });
    await staveJson(data, ['backup', target]);
    expect(await verify('--deep')).toEqual({ code: 0, problems: [] });

    const database = filesBelow(target).find((path) => path.endsWith('.db'))!;
    const bytes = readFileSync(join(target, database));
    bytes[bytes.length - 100]! ^= 1;
    writeFileSync(join(target, database), bytes);
    expect((await verify()).code).toBe(0);
    expect(await verify('--deep')).toMatchObject({
      code: 2,
      problems: [{ file: database, problem: 'damaged' }],
    });
    const { stdout } = await stave(data, ['backup', 'verify', target, '--deep']);
    expect(stdout).toMatch(new RegExp(`^${database}: damaged, in 1 backup, the newest of `));
  });

  it('with a damaged manifest restores the newest backup only by name, and removes nothing', async () => {
    using folder = temporaryFolder();
    const [data, target] = [folder.at('data'), folder.at('backups')];
    await filledCatalog(data, folder.at('sources'));
    const { createdAt } = await staveJson(data, ['backup', target]);
    await staveJson(data, ['backup', target]);
    const manifests = filesBelow(target).filter((path) => path.endsWith('.json'));
    const named = await staveJson(data, ['backup', 'list', target]);
    expect(named).toHaveLength(2);
    mkdirSync(join(target, 'backups', 'ff'), { recursive: true });
    copyFileSync(
      join(target, manifests[0]!),
      join(target, 'backups', 'ff', `${'f'.repeat(64)}.json`),
    );

    const listed = await stave(data, ['backup', 'list', target, '--json']);
    expect(listed.json).toHaveLength(2);
    expect(listed.stderr).toMatch(/^stave: a backup cannot be read \(f{64}\.json: it is damaged\)/);
    const newest = await stave(folder.at('new'), ['restore', target]);
    expect(newest.stderr).toMatch(/cannot be read [^\n]*--backup/);
    const pruned = await stave(data, ['backup', target, '--keep', 'daily=1']);
    expect(pruned).toMatchObject({ code: 1, stdout: '' });
    expect(pruned.stderr).toMatch(/^stave: the backup is made, but no older one was removed/);
    expect(await staveJson(data, ['backup', 'list', target])).toHaveLength(3);
    await staveJson(folder.at('new'), ['restore', target, '--backup', createdAt]);
  });

  it('refuses backups of another catalog, and what is no repository', async () => {
    using folder = temporaryFolder();
    const target = folder.at('backups');
    await staveJson(folder.at('data'), ['keys', 'rotate']);
    await staveJson(folder.at('data'), ['backup', target]);
    await staveJson(folder.at('other'), ['keys', 'rotate']);
    const other = await stave(folder.at('other'), ['backup', target]);
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).toMatch(/has backups of another catalog: name another place/);
    // A restored catalog is the same one.
    await staveJson(folder.at('new'), ['restore', target]);
    await staveJson(folder.at('new'), ['backup', target]);
    for (const command of [['backup', 'list'], ['backup', 'verify'], ['restore']]) {
      for (const path of [folder.at('data'), folder.at('missing')]) {
        const ran = await stave(folder.at('empty'), [...command, path]);
        expect(ran).toMatchObject({ code: 1, stdout: '' });
        expect(ran.stderr).toMatch(/^stave: \S+ has no backups: name a folder/);
      }
      const bucket = await stave(folder.at('empty'), [...command, 's3://A']);
      expect(bucket.stderr).toBe('stave: the path must be s3://BUCKET or s3://BUCKET/PREFIX\n');
    }
  });

  it('is not verified if a kill has left no backup', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.at('backups'), 'backups'), { recursive: true });
    for (const options of [[], ['--deep']]) {
      const verify = ['backup', 'verify', folder.at('backups'), ...options];
      const ran = await stave(folder.at('data'), verify);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: \S+ has no finished backup\n$/);
    }
  });

  it('restores a catalog without the processes that used it', async () => {
    using folder = temporaryFolder();
    const [data, target] = [folder.at('data'), folder.at('backups')];
    await staveJson(data, ['keys', 'rotate']);
    const database = new DatabaseSync(join(data, 'stave.db'));
    const now = Date.now();
    database.exec(`
      INSERT INTO nodes (node, host, pid, version, data_folder, seen_at, clock_at)
      VALUES ('n', 'h', 1, '1', '/x', ${now}, ${now});
      INSERT INTO leases (name, holder, expires_at) VALUES ('housekeeping', 'n', ${now + 600_000});
      INSERT INTO rendition_nodes (node, formats, seen_at) VALUES ('n', '["mp3"]', ${now});`);
    database.close();
    await staveJson(data, ['backup', target]);
    await staveJson(folder.at('new'), ['restore', target]);
    const { findings } = (await stave(folder.at('new'), ['doctor', '--json'])).json;
    const service = findings.find(({ check }: Json) => check === 'service');
    expect(JSON.stringify(service)).not.toContain('/x');
    const restored = new DatabaseSync(folder.at('new', 'stave.db'), { readOnly: true });
    for (const table of ['nodes', 'leases', 'rendition_nodes']) {
      expect(restored.prepare(`SELECT count(*) AS n FROM ${table}`).get(), table).toEqual({ n: 0 });
    }
    restored.close();
  });
});
