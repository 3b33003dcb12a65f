import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Json, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { ndjson, record } from '../harness/import-bench.ts';
import { until } from '../harness/until.ts';
import { Caller } from './caller.ts';
import { metric, newClient, TWO } from './workers-support.ts';

/** By the one filter of the track that is meant. */
const SCENES: Readonly<Record<string, string>> = {
  Crime: 'a detective questions the murder suspect',
  Wedding: 'the bride kisses the groom at the altar',
  Space: 'astronauts orbit the moon in a rocket',
  Christmas: 'santa claus brings presents to the children',
};

it.each([
  ['alone', [], 1],
  ['with two workers', TWO, 2],
])(
  'stave serve finds what scenes mean by the local model, %s',
  async (_, args, workers) => {
    using folder = temporaryFolder();
    const [data, port] = [folder.at('data'), await freePort()];
    const tracks = Object.keys(SCENES).map((filter) =>
      record(filter, { filters: [`use-case:${filter}`] }),
    );
    writeFileSync(folder.at('tracks.ndjson'), ndjson(...tracks));
    await staveJson(data, ['import', folder.at('tracks.ndjson')]);
    const client = await newClient(data);
    const settings = { STAVE_EMBEDDINGS: 'local', STAVE_METRICS_PORT: String(port) };
    await using service = await serve(data, settings, args);
    const caller = await Caller.login(service.url, client.clientId, client.testSecret);
    const find = (brief: string): Promise<Json> => caller.write('POST', '/v1/search', { brief });
    // The vocabulary is prepared without a brief.
    await until(() => existsSync(join(data, 'briefs.vectors')), 'the vectors', 60_000);
    for (const [filter, scene] of Object.entries(SCENES)) {
      const { brief, items } = await find(scene);
      expect(brief.embeddings).toBe('local');
      const meant = brief.understood.filter(({ kind }: Json) => kind === 'filter');
      expect(
        meant.map(({ filter: slug }: Json) => slug),
        scene,
      ).toContain(filter.toLowerCase());
      expect(items[0].name, scene).toBe(`Track ${filter}`);
    }
    // Each worker has its own connections.
    let count = 0;
    await until(async () => {
      await Promise.all(
        Array.from({ length: 16 }, () => find(`a detective and ${count++} knightly quolls`)),
      );
      const counts = [...(await metric(port, 'stave_brief_meanings_total'))];
      return counts.filter(([of, n]) => of.includes('compared') && n > 0).length === workers;
    }, 'comparisons in each worker');
  },
  180_000,
);
