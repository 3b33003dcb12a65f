import { expect, it } from 'vitest';
import { serve, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';
import { ALL, catalogWithReader } from './changes-support.ts';
import { callerOf, imported, metric, TWO } from './workers-support.ts';

it('lets ten requests of a client wait, over all workers', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const client = await catalogWithReader(data, folder.at('three.ndjson'));
  const port = await freePort();
  await using serving = await serve(data, { STAVE_METRICS_PORT: String(port) }, TWO);
  const token = await serving.token(client.clientId, client.testSecret);
  const { nextCursor } = (await serving.get(ALL, token)).body.data;
  // So many connections that both workers get more than ten of them.
  using caller = callerOf(serving, token, 60);
  const path = `/v1/tracks/changes?cursor=${nextCursor}&wait=30`;
  let responses = 0;
  const send = async () => {
    const response = await caller.get(path);
    responses++;
    return response;
  };
  const waits = Promise.all(Array.from({ length: 60 }, send));
  // Until all others have their response: one that a worker refused is repeated, and would find the tracks.
  await until(async () => {
    const waiting = [...(await metric(port, 'stave_changes_waiting{')).values()];
    return waiting.length === 2 && waiting[0]! + waiting[1]! === 10 && responses === 50;
  }, 'ten requests that wait');
  await imported(folder, 5);
  const found = (await waits).map(({ body }) => JSON.parse(body).data.items.length > 0);
  expect(found.filter(Boolean)).toHaveLength(10);
});
