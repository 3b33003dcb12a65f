import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  type Json,
  type Serving,
  serve,
  someTracks,
  staveJson,
  temporaryFolder,
} from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';
import { callerOf, imported, metric, newClient, TWO, tokenOf } from './workers-support.ts';

type Caller = ReturnType<typeof callerOf>;

const COUNT = 20_500;

/** Returns the log lines about document files so far. */
const filesOf = (service: Serving): Json[] =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"document file ready"'))
    .map((line) => JSON.parse(line));

/** How many pages of the greatest size there are. */
const PAGES = Math.floor(COUNT / 100);

/** Requests new pages, which no cache has, until both workers have read documents from the file. */
async function bothRead(caller: Caller, metricsPort: number): Promise<void> {
  let count = 0;
  await until(async () => {
    const pages = Array.from({ length: 32 }, () => {
      // The file may be ready only after more requests than there are pages of one size.
      const [page, size] = [1 + (count % PAGES), 1 + (Math.floor(count / PAGES) % 100)];
      count++;
      return `/v1/tracks?pageSize=${size}&page=${page}`;
    });
    await Promise.all(pages.map((path) => caller.get(path)));
    const reads = [...(await metric(metricsPort, 'stave_documents_read_total'))];
    return ['worker="0"', 'worker="1"'].every((worker) =>
      reads.some(([of, sum]) => of.includes(worker) && of.includes('"file"') && sum > 0),
    );
  }, 'documents from the file');
}

/** Waits until all workers return a name as the first result of a search for "zebra". */
async function shown(caller: Caller, name: string | undefined): Promise<void> {
  await until(async () => {
    const responses = await caller.times(48, '/v1/tracks?search=zebra');
    return responses.every(({ body }) => JSON.parse(body).data.items[0]?.name === name);
  }, `the name ${name}`);
}

it('all workers read one document file, and show changes that are not in it', async () => {
  using folder = temporaryFolder();
  const [data, port] = [folder.at('data'), await freePort()];
  await imported(folder, COUNT);
  const client = await newClient(data, '--rate-limit', '1000000');
  const settings = { STAVE_METRICS_PORT: String(port) };
  {
    await using service = await serve(data, settings, TWO);
    using caller = callerOf(service, await tokenOf(service, client));
    await bothRead(caller, port);
    // The import of the first catalog has written it.
    expect(filesOf(service)).toMatchObject([{ from: 'file', tracks: COUNT }]);
    const renamed = { ...JSON.parse(someTracks(1)), name: 'Zebra' };
    writeFileSync(folder.at('changes.ndjson'), `${JSON.stringify(renamed)}\n`);
    await staveJson(data, ['import', folder.at('changes.ndjson')]);
    await shown(caller, 'Zebra');
  }
  await using service = await serve(data, settings, TWO);
  using caller = callerOf(service, await tokenOf(service, client));
  await bothRead(caller, port);
  expect(filesOf(service)).toMatchObject([{ from: 'file', tracks: COUNT }]);
  await shown(caller, 'Zebra');
  await staveJson(data, ['tracks', 'takedown', 'track-1']);
  await shown(caller, undefined);
  expect(service.output()).not.toContain('"level":"error"');
}, 240_000);
