import { hash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { mediaPath } from '../../src/engines/blobs/media-store.ts';
import { type Json, someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { filesBelow, filledCatalog } from './backup-support.ts';

describe('stave backup and restore', () => {
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

  it('refuse a backup into the data folder or around it, also by links', async () => {
    using folder = temporaryFolder();
    const data = folder.at('parent', 'data');
    await staveJson(data, ['clients', 'list']);
    mkdirSync(folder.at('elsewhere', 'media'), { recursive: true });
    symlinkSync(data, folder.at('link'));
    const before = readdirSync(data).sort();
    const targets = [
      data,
      join(data, 'backups', 'today'),
      join(data, 'media', 'backup'),
      folder.at('link', 'backup'),
      folder.at('parent'),
      folder.at('parent', 'other', '..', 'data', 'backup'),
    ];
    for (const target of targets) {
      const ran = await stave(data, ['backup', target]);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(
        /^stave: \S+ and the data folder \S+ lie in one another: [^\n]*\n$/,
      );
    }
    expect(readdirSync(data).sort()).toEqual(before);

    // A linked media folder is not allowed, either.
    rmSync(join(data, 'media'), { recursive: true, force: true });
    symlinkSync(folder.at('elsewhere', 'media'), join(data, 'media'));
    const ran = await stave(data, ['backup', folder.at('elsewhere', 'media', 'backup')]);
    expect(ran.stderr).toMatch(/lie in one another/);
    await staveJson(data, ['backup', folder.at('parent', 'data-backup')]);
  });

  it('refuse a restore into PostgreSQL, with the way around', async () => {
    using folder = temporaryFolder();
    const env = { STAVE_DATABASE_URL: 'postgres://stave:sesame@db.example.com/stave' };
    const ran = await stave(folder.at('data'), ['restore', folder.at('copy')], { env });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /^stave: a backup is restored into a folder: unset STAVE_DATABASE_URL [^\n]+migrate-store`\n$/,
    );
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

  it('refuse a damaged or unfinished backup, and leave nothing behind', async () => {
    using folder = temporaryFolder();
    await filledCatalog(folder.at('data'), folder.at('sources'));
    await staveJson(folder.at('data'), ['backup', folder.at('good')]);
    const files = filesBelow(folder.at('good'));
    const [manifest] = files.filter((path) => path.endsWith('.json')) as [string];
    const [list] = files.filter((path) => path.endsWith('.txt')) as [string];
    const [database] = files.filter((path) => path.endsWith('.db')) as [string];
    const media = files.filter((path) => path.endsWith('.wav'));
    const document = JSON.parse(readFileSync(folder.at('good', manifest), 'utf8'));
    /** Replaces a file by another one with the right name. */
    const replace = (bad: string, path: string, text: string) => {
      rmSync(join(bad, path));
      const key = `${hash('sha256', text)}${extname(path)}`;
      const to = join(bad, path.split('/')[0]!, mediaPath(key));
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, text);
      return { key, sizeBytes: text.length };
    };
    const harm: Record<string, (bad: string) => void> = {
      'no manifest': (bad) => rmSync(join(bad, manifest)),
      'truncated manifest': (bad) =>
        writeFileSync(join(bad, manifest), JSON.stringify(document).slice(0, 300)),
      'manifest of a newer version': (bad) =>
        replace(bad, manifest, JSON.stringify({ ...document, formatVersion: 2 })),
      'manifest without a database': (bad) =>
        replace(bad, manifest, JSON.stringify({ ...document, database: undefined })),
      'a path outside of the folder': (bad) => {
        const mediaList = replace(bad, list, '../../escaped 4\n');
        replace(bad, manifest, JSON.stringify({ ...document, mediaList }));
      },
      'a list of media with another line': (bad) => appendFileSync(join(bad, list), 'x 1\n'),
      'a byte changed in the database': (bad) => {
        const bytes = readFileSync(join(bad, database));
        bytes[bytes.length - 100]! ^= 1;
        writeFileSync(join(bad, database), bytes);
      },
      'a media file with another byte': (bad) => appendFileSync(join(bad, media[0]!), 'x'),
      'a missing media file': (bad) => rmSync(join(bad, media[0]!)),
      'another file in place of a media file': (bad) =>
        copyFileSync(join(bad, media[0]!), join(bad, media[1]!)),
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
    // The entries of an index are wrong, which only a check of the whole database finds.
    bytes.fill(0x55, rootpage * pageSize - 100, rootpage * pageSize);
    writeFileSync(`${data}/stave.db`, bytes);

    const ran = await stave(data, ['backup', folder.at('backup')]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*damaged[^\n]*\n$/);
    expect(ran.stderr).toContain(`${data}/stave.db`);
    expect(ran.stderr).not.toContain(folder.at('backup'));
    expect(await staveJson(data, ['backup', 'list', folder.at('backup')])).toEqual([]);
  });

  it.runIf(existsSync('/proc/self'))('fail if no folder can be created', async () => {
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
});
