import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type Json,
  type Serving,
  serve,
  someTracks,
  staveJson,
  temporaryFolder,
} from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { callerOf, imported, newClient, TWO, tokenOf } from './workers-support.ts';

describe('the index of several workers', () => {
  /** Returns the log lines with a message so far. */
  const linesOf = (service: Serving, message: string): Json[] =>
    service
      .output()
      .trim()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}"`))
      .map((line) => JSON.parse(line));

  it('is built once, and one worker makes a merge for all, while changes continue', async () => {
    using folder = temporaryFolder();
    const [data, count] = [folder.at('data'), 20_500];
    await imported(folder, count);
    await using service = await serve(data, {}, TWO);
    expect(linesOf(service, 'search index ready')).toHaveLength(1);
    const token = await tokenOf(service, await newClient(data, '--rate-limit', '1000000'));
    using client = callerOf(service, token);

    const lines = someTracks(count).trim().split('\n');
    const renamed = (from: number, to: number, name: string) =>
      lines.slice(from, to).map((line) => JSON.stringify({ ...JSON.parse(line), name }));
    const changes = async (...records: string[]) => {
      writeFileSync(folder.at('changes.ndjson'), `${records.join('\n')}\n`);
      // The source is the same, and so are the tracks of the first import.
      await staveJson(data, ['import', folder.at('changes.ndjson')]);
    };
    const search = (text: string) => client.times(48, `/v1/tracks?search=${text}`);
    const totalOf = (body: string): number => JSON.parse(body).data.totalRecords;
    const found = async (text: string) =>
      new Set((await search(text)).map(({ body }) => totalOf(body)));
    await changes(...renamed(0, 1_500, 'Zebra'));
    const last = new Map<number, number>();
    const goneBack: number[] = [];
    for (let round = 0; linesOf(service, 'search index shared').length === 0; round++) {
      await changes(...renamed(2_000 + round * 10, 2_010 + round * 10, 'Quokka'));
      // A worker may be behind the other one, but never behind its earlier state.
      for (const { port, body } of await search('quokka')) {
        const total = totalOf(body);
        if (total < (last.get(port) ?? 0)) goneBack.push(total);
        last.set(port, total);
      }
      expect(round).toBeLessThan(200);
    }
    expect(goneBack).toEqual([]);
    await staveJson(data, ['tracks', 'takedown', 'track-1']);
    await changes(...renamed(20_000, 20_003, 'Okapi'));
    await until(async () => [...(await found('okapi'))].join() === '3', 'the last change');
    await until(async () => [...(await found('zebra'))].join() === '1499', 'the takedown');
    expect((await found('quokka')).size).toBe(1);
    expect(linesOf(service, 'search index shared')[0]).toMatchObject({ worker: 1, tracks: count });
    expect(linesOf(service, 'search index ready').map(({ from }) => from)).toContain('merge');
    expect(service.output()).not.toContain('"level":"error"');
  }, 120_000);
});
