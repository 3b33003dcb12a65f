import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Serving, serve, someTracks, staveJson, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';
import { callerOf, imported, metric, newClient, TWO, tokenOf } from './workers-support.ts';

it('all workers read one document file, and show changes that are not in it', async () => {
  using folder = temporaryFolder();
  const [data, count, port] = [folder.at('data'), 20_500, await freePort()];
  await imported(folder, count);
  const client = await newClient(data, '--rate-limit', '1000000');
  const settings = { STAVE_METRICS_PORT: String(port) };
  const linesOf = (service: Serving) =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg":"document file ready"'))
      .map((line) => JSON.parse(line));

  const start = async (from: string) => {
    const service = await serve(data, settings, TWO);
    const token = await tokenOf(service, client);
    const caller = callerOf(service, token);
    let page = 0;
    await until(async () => {
      // New pages, so that no cache has them.
      const pages = Array.from({ length: 32 }, () => `/v1/tracks?pageSize=5&page=${++page}`);
      await Promise.all(pages.map((path) => caller.get(path)));
      const reads = await metric(port, 'stave_documents_read_total');
      return ['0', '1'].every((worker) => {
        const series = [...reads].filter(([labels]) => labels.includes(`worker="${worker}"`));
        return series.some(([labels, value]) => labels.includes('"file"') && value > 0);
      });
    }, 'pages of both workers from the file');
    expect(linesOf(service)).toMatchObject([{ from, tracks: count }]);
    const found = async (text: string) => {
      const responses = await caller.times(48, `/v1/tracks?search=${text}`);
      return new Set(
        responses.map(({ body }) => JSON.parse(body).data.items[0]?.name ?? '(nothing)'),
      );
    };
    return { service, caller, found };
  };

  const first = await start('store');
  const [line] = someTracks(1).trim().split('\n');
  writeFileSync(
    folder.at('changes.ndjson'),
    `${JSON.stringify({ ...JSON.parse(line!), name: 'Zebra' })}\n`,
  );
  await staveJson(data, ['import', folder.at('changes.ndjson')]);
  await until(async () => [...(await first.found('zebra'))].join() === 'Zebra', 'the new name');
  first.caller[Symbol.dispose]();
  expect(await first.service.stop()).toBe(0);

  const second = await start('file');
  await until(async () => [...(await second.found('zebra'))].join() === 'Zebra', 'the new name');
  await staveJson(data, ['tracks', 'takedown', 'track-1']);
  await until(
    async () => [...(await second.found('zebra'))].join() === '(nothing)',
    'the takedown',
  );
  second.caller[Symbol.dispose]();
  expect(second.service.output()).not.toContain('"level":"error"');
  await second.service.stop();
}, 120_000);
