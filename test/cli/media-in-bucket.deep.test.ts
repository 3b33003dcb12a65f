import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, serve, stave, staveProcess, temporaryFolder } from '../harness/cli.ts';
import { hasS3Server, type S3Server, startS3Server } from '../harness/s3-server.ts';
import { wav } from '../harness/wav.ts';

describe.runIf(hasS3Server)('media in a bucket', () => {
  let s3: S3Server;
  beforeAll(async () => {
    s3 = await startS3Server();
    Object.assign(process.env, s3.environment);
  });
  afterAll(() => s3?.close());

  const newPlace = async () => `s3://${await s3.createBucket()}/media`;
  const within = (place: string) => ({ env: { STAVE_MEDIA_URL: place } });

  /** Runs a command that must succeed, and returns its JSON. */
  async function json(data: string, args: string[], place?: string): Promise<Json> {
    const ran = await stave(data, [...args, '--json'], place === undefined ? {} : within(place));
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
    return ran.json;
  }

  /** Writes a catalog file of three tracks, which share two recordings. */
  function sources(folder: string): string {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'one.wav'), wav(800));
    writeFileSync(join(folder, 'two.wav'), wav(1600));
    const lines = ['one', 'two', 'one'].map((name, i) =>
      JSON.stringify({ externalId: `${i}`, name: `N${i}`, type: 'sfx', audio: `${name}.wav` }),
    );
    writeFileSync(join(folder, 'tracks.ndjson'), `${lines.join('\n')}\n`);
    return join(folder, 'tracks.ndjson');
  }

  it('is used by import, doctor, service and delivery by key', async () => {
    using folder = temporaryFolder();
    const place = await newPlace();
    const data = folder.at('data');
    const file = sources(folder.at('sources'));
    expect(await json(data, ['import', file], place)).toMatchObject({ created: 3, rejected: 0 });
    expect(await json(data, ['import', file], place)).toMatchObject({ unchanged: 3 });
    expect(existsSync(join(data, 'media'))).toBe(false);
    expect((await json(data, ['doctor'], place)).healthy).toBe(true);

    const track = await json(data, ['tracks', 'show', 'n0'], place);
    const record = { externalId: 'k', name: 'Known', type: 'sfx', audio: track.audioKey };
    writeFileSync(folder.at('by-key.ndjson'), `${JSON.stringify(record)}\n`);
    expect(await json(data, ['import', folder.at('by-key.ndjson')], place)).toMatchObject({
      created: 1,
    });
    writeFileSync(
      folder.at('unknown.ndjson'),
      `${JSON.stringify({ ...record, externalId: 'u', audio: `${'0'.repeat(64)}.wav` })}\n`,
    );
    const unknown = await stave(data, ['import', folder.at('unknown.ndjson')], within(place));
    expect(unknown.code).toBe(2);

    const scopes = ['clients', 'create', '-n', 'Acme', '-s', 'tracks'];
    const { clientId, liveSecret } = await json(data, scopes, place);
    await using service = await serve(data, { STAVE_MEDIA_URL: place });
    const token = await service.token(clientId, liveSecret);
    const { body } = await service.get('/v1/tracks/known', token);
    const audio = await fetch(body.data.streamUrl);
    expect([audio.status, audio.redirected]).toEqual([200, true]);
    expect(Buffer.from(await audio.arrayBuffer())).toEqual(wav(800));
  });

  it('stays in the bucket during a backup, which names the bucket', async () => {
    using folder = temporaryFolder();
    const place = await newPlace();
    const data = folder.at('data');
    await json(data, ['import', sources(folder.at('sources'))], place);
    const backup = await stave(data, ['backup', folder.at('backup')], within(place));
    expect(backup.code).toBe(0);
    expect(backup.stderr).toBe(`audio and artwork stay in ${place}; they are not in the backup\n`);
    expect(await json(data, ['backup', 'list', folder.at('backup')], place)).toMatchObject([
      { mediaPlace: place, counts: { live: 3, media: 0 } },
    ]);

    const restored = await stave(folder.at('new'), ['restore', folder.at('backup')], within(place));
    expect(restored.code).toBe(0);
    expect(restored.stderr).toContain(
      `audio and artwork are in ${place}: STAVE_MEDIA_URL must name`,
    );
    expect((await json(folder.at('new'), ['doctor'], place)).healthy).toBe(true);
    // Without the bucket, the doctor finds missing media.
    const without = await stave(folder.at('new'), ['doctor']);
    expect(without.stdout).toContain('2 files are missing');
  });

  it('is copied from a folder and back, each file once and verified', async () => {
    using folder = temporaryFolder();
    const place = await newPlace();
    const data = folder.at('data');
    await json(data, ['import', sources(folder.at('sources'))]);
    const moved = await json(data, ['migrate-media'], place);
    expect(moved).toMatchObject({
      from: join(data, 'media'),
      to: place,
      files: 2,
      copied: 2,
      present: 0,
      damaged: [],
      sizeBytes: 2 * 44 + 2 * 2400,
    });
    expect(await json(data, ['migrate-media'], place)).toMatchObject({ copied: 0, present: 2 });
    expect((await json(data, ['doctor'], place)).healthy).toBe(true);

    const back = folder.at('back');
    const copied = await stave(data, ['migrate-media', '--from', place, '--to', back]);
    expect(copied.stdout).toBe(
      `2 files in ${place}: 2 copied to ${back} (0.0 MB), 0 there already\n`,
    );
    const names = (readdirSync(back, { recursive: true }) as string[]).sort();
    const original = (readdirSync(join(data, 'media'), { recursive: true }) as string[]).sort();
    expect(names).toEqual(original);

    const damaged = original.find((name) => name.endsWith('.wav'))!;
    appendFileSync(join(data, 'media', damaged), 'x');
    const some = await stave(data, ['migrate-media', '--to', await newPlace(), '--json']);
    expect(some.code).toBe(2);
    expect(some.json).toMatchObject({ files: 2, copied: 1, damaged: [damaged.split('/')[1]] });
    expect(some.stderr).toContain('does not match the hash in its name; skipped');
  });

  it.each([
    [['migrate-media'], 'the target is not known: give --to, or set STAVE_MEDIA_URL'],
    [['migrate-media', '--from', '/nowhere', '--to', '/tmp/x'], 'there is no folder /nowhere'],
    [['migrate-media', '--to', 's3://X'], '--to must be s3://BUCKET or s3://BUCKET/PREFIX'],
    [
      ['migrate-media', '--to', 's3://not-there'],
      's3://not-there cannot be used: there is no such',
    ],
  ])('%j is refused in one line', async (args, line) => {
    using folder = temporaryFolder();
    mkdirSync(folder.at('media'));
    const ran = await stave(folder.path, args);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
    expect(ran.stderr).toContain(line);
  });

  it('is needed only by commands that use it', async () => {
    using folder = temporaryFolder();
    const place = await newPlace();
    const data = folder.at('data');
    const file = sources(folder.at('sources'));
    await s3.kill();
    try {
      const unreachable = 'cannot be reached (nothing listens there): check AWS_ENDPOINT_URL';
      await json(data, ['clients', 'create', '-n', 'Acme', '-s', 'tracks'], place);
      for (const args of [['import', file], ['migrate-media']]) {
        mkdirSync(join(data, 'media'), { recursive: true });
        const ran = await stave(data, args, within(place));
        expect(ran.code).toBe(1);
        // An import prints first how it reads the file.
        expect(ran.stderr).toMatch(/^(?:[^\n]+ source stave\n)?stave: [^\n]+\n$/);
        expect(ran.stderr).toContain(unreachable);
      }
      const refused = await staveProcess(data, ['serve'], within(place));
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(/^stave: .* cannot be used: its endpoint .*\n$/);
      expect(refused.stderr).toContain(place);
      const doctor = await stave(data, ['doctor'], within(place));
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toContain(unreachable);
    } finally {
      await s3.start();
    }
  });
});
