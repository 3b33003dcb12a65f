import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { someTracks, stave, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { type ConsoleClient, serveConsole } from './console-client.ts';

const folder = temporaryFolder();
const data = folder.at('data');
let running: Awaited<ReturnType<typeof serveConsole>>;
let client: ConsoleClient;

beforeAll(async () => {
  await writeFile(folder.at('tracks.ndjson'), someTracks(3));
  await stave(data, ['import', folder.at('tracks.ndjson'), '--source', 'label-a']);
  running = await serveConsole({ ...folder, path: data });
  client = running.client;
  await client.login();
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});


it('logs the stack of a job that fails unexpectedly, and the page stays plain', async () => {
  const database = new DatabaseSync(folder.at('data', 'stave.db'));
  database.exec('ALTER TABLE import_batches RENAME TO lost');
  const job = (await client.post('/imports/undo', { batch: 'x' })).headers.get('location')!;
  let page = '';
  await until(async () => {
    page = (await client.get(job)).text;
    return !page.includes('data-refresh');
  }, 'the job to end');
  database.exec('ALTER TABLE lost RENAME TO import_batches');
  database.close();
  expect(page).toContain('it failed unexpectedly; the log says why');
  expect(page).not.toContain('no such table');
  const line = running.service
    .output()
    .split('\n')
    .find((one) => one.includes('no such table'));
  const { level, job: name, err } = JSON.parse(line!);
  expect({ level, name }).toEqual({ level: 'error', name: 'Undo of import x' });
  expect(err.stack).toContain('sql-database.ts');
});
