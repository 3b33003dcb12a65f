import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Json, serve, someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { until } from '../harness/until.ts';

const METRIC = /^stave_last_backup_timestamp_seconds (\S+)$/m;

const sqlite = ON_POSTGRES ? it.skip : it;

sqlite('a missed backup is made at the start, and shown', async () => {
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

sqlite('a backup that fails is logged with its reason', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  await using service = await serve(data, { STAVE_BACKUP_SCHEDULE: `00:00 ${data}/backups` });
  await until(() => service.output().includes('STAVE_BACKUP_SCHEDULE failed'), 'the line');
  expect(service.output()).toMatch(
    /"reason":"stave: \S+ and the data folder \S+ lie in one another/,
  );
});

it('a schedule that is wrong stops the start', async () => {
  using folder = temporaryFolder();
  const env = { STAVE_BACKUP_SCHEDULE: 'daily' };
  const ran = await stave(folder.path, ['keys', 'list'], { env });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^stave: STAVE_BACKUP_SCHEDULE must be a time \(UTC\) and [^\n]+\n$/);
});
