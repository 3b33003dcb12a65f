import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve, someTracks, stave, type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';
import { hasS3Server, type S3Server, startS3Server } from '../harness/s3-server.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../harness/services.ts';
import { until } from '../harness/until.ts';

describe.skipIf(!hasS3Server || POSTGRES_URL === undefined)('the first start of a node', () => {
  let s3: S3Server;
  let database: TestDatabase;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    s3 = await startS3Server();
    database = await createDatabase();
    folder = temporaryFolder();
  });
  afterAll(async () => {
    folder?.[Symbol.dispose]();
    await database?.drop();
    await s3?.close();
  });

  it('with PostgreSQL and a bucket creates the data folder for its snapshot', async () => {
    const data = folder.at('parent', 'data');
    const env = {
      ...s3.environment,
      STAVE_DATABASE_URL: database.url,
      STAVE_MEDIA_URL: `s3://${await s3.createBucket()}`,
      STAVE_DEMO: 'off',
    };
    // A smaller catalog has no snapshot.
    writeFileSync(folder.at('tracks.ndjson'), someTracks(20_000));
    const other = folder.at('other');
    const imported = await stave(other, ['import', folder.at('tracks.ndjson')], { env });
    expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)]);
    await using service = await serve(data, env);
    await until(() => existsSync(`${data}/search-index.snapshot`), 'the snapshot', 60_000);
    await service.stop();
    expect(service.output()).toContain('search index ready');
    expect(service.output()).not.toMatch(/ENOENT|was not written|was not used/);
  }, 120_000);
});
