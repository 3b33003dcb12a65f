import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serveConsole } from '../console/console-client.ts';
import { type Json, serve, someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { POSTGRES_URL } from '../harness/services.ts';
import { until } from '../harness/until.ts';
import { newDatabase, removePlacesAfterTests } from './migrate-store-support.ts';

const METRIC = /^stave_last_backup_timestamp_seconds (\S+)$/m;

it('a missed backup is made at the start, and shown', async () => {
  using folder = temporaryFolder();
  const [data, target] = [folder.at('data'), folder.at('backups')];
  writeFileSync(folder.at('tracks.ndjson'), someTracks(10));
  await staveJson(data, ['import', folder.at('tracks.ndjson')]);
  const finding = async () =>
    (await staveJson(data, ['doctor'])).findings.find(({ check }: Json) => check === 'backup');
  expect(await finding()).toMatchObject({
    status: 'warning',
    detail: '`stave backup` has made none',
    advice: expect.stringContaining('STAVE_BACKUP_SCHEDULE'),
  });

  const port = String(await freePort());
  const env = { STAVE_METRICS_PORT: port, STAVE_BACKUP_SCHEDULE: `00:00 ${target} monthly=2` };
  await using service = await serve(data, env);
  const measured = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(METRIC.exec(metrics)?.[1] ?? 'NaN');
  };
  await until(async () => (await measured()) > 0, 'the measured backup');
  const [{ createdAt, counts }, ...others] = await staveJson(data, ['backup', 'list', target]);
  expect([counts.live, others]).toEqual([10, []]);
  expect(await measured()).toBe(Date.parse(createdAt) / 1_000);
  expect(await finding()).toMatchObject({
    status: 'ok',
    detail: `the last one is of ${createdAt}, in ${target}`,
  });
  await until(() => service.output().includes('made the backup of'), 'the line in the log');
});

it('a backup that fails is logged with its reason, and shown', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const env = { STAVE_BACKUP_SCHEDULE: `00:00 ${data}/backups` };
  await using running = await serveConsole({ ...folder, path: data }, { env });
  const { service, client } = running;
  await until(() => service.output().includes('STAVE_BACKUP_SCHEDULE failed'), 'the line');
  const reason = /\S+ and the data folder \S+ lie in one another/;
  expect(service.output()).toMatch(new RegExp(`"reason":"stave: ${reason.source}`));
  await client.login();
  await until(async () => {
    const { text } = await client.get('/backups');
    return /STAVE_BACKUP_SCHEDULE failed at .*lie in one another/.test(text);
  }, 'the failure on the page');
  const { findings } = (await stave(data, ['doctor', '--json'])).json;
  expect(findings).toContainEqual(
    expect.objectContaining({
      ...{ check: 'backup', status: 'warning', advice: expect.stringMatching(reason) },
      detail: expect.stringMatching(/^the one of STAVE_BACKUP_SCHEDULE to \S+ failed at 20/),
    }),
  );
});

describe.skipIf(POSTGRES_URL === undefined)('several nodes with one database', () => {
  removePlacesAfterTests();

  it('make one backup, without a failure', async () => {
    using folder = temporaryFolder();
    const target = folder.at('backups');
    const env = {
      STAVE_DATABASE_URL: await newDatabase(),
      STAVE_BACKUP_SCHEDULE: `00:00 ${target}`,
    };
    const nodes = await Promise.all(['a', 'b', 'c'].map((name) => serve(folder.at(name), env)));
    const made = () => nodes.filter((node) => node.output().includes('made the backup of'));
    await until(() => made().length > 0, 'the backup');
    await Promise.all(nodes.map((node) => node.stop()));
    expect(made()).toHaveLength(1);
    for (const node of nodes) expect(node.output()).not.toContain('STAVE_BACKUP_SCHEDULE failed');
    expect(await staveJson(folder.at('d'), ['backup', 'list', target])).toHaveLength(1);
  });
});

it('a schedule that is wrong stops the start', async () => {
  using folder = temporaryFolder();
  const env = { STAVE_BACKUP_SCHEDULE: 'daily' };
  const ran = await stave(folder.path, ['keys', 'list'], { env });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^stave: STAVE_BACKUP_SCHEDULE must be a time \(UTC\) and [^\n]+\n$/);
});
