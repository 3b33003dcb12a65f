import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { someTracks, temporaryFolder } from '../harness/cli.ts';
import { serveConsole } from './console-client.ts';

it('runs once for all workers of a process, and ends with them and with its imports', async () => {
  using folder = temporaryFolder();
  await using console_ = await serveConsole(folder, { args: ['--workers', '2'] });
  const { client, service } = console_;
  await client.login();
  const overview = await client.get('/');
  expect(overview.status).toBe(200);
  expect(overview.text).toContain('Live tracks');
  const sent = await client.upload('/imports/new', [
    ['what', 'import'],
    ['source', 'label-a'],
    ['file', someTracks(20_000), 'tracks.ndjson'],
  ]);
  expect(sent.status).toBe(303);
  expect(await readdir(folder.at('uploads'))).toHaveLength(1);
  expect(await service.stop()).toBe(0);
  expect(await readdir(folder.at('uploads'))).toEqual([]);
});
