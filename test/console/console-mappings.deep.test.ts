import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../harness/cli.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { type ConsoleClient, endOf, serveConsole } from './console-client.ts';

const folder = temporaryFolder();
let running: Awaited<ReturnType<typeof serveConsole>>;
let client: ConsoleClient;

const SECRET = 'root:$6$secret:19000';
const lookup = (file: string) => ({ file, key: 'id', take: 'genre' });
const mapping = (file: string) =>
  JSON.stringify({
    name: 'label',
    fields: {
      ...{ externalId: 'No', name: 'Title', type: { constant: 'music' } },
      songKey: { from: 'No', lookup: lookup(file) },
    },
  });

beforeAll(async () => {
  await mkdir(folder.at('delivery'));
  writeFileSync(folder.at('secret'), `${SECRET}\n`);
  writeFileSync(folder.at('delivery/tracks.csv'), 'No,Title\n1,Night Rain\n2,Low Tide\n');
  writeFileSync(folder.at('delivery/keys.csv'), 'id,genre\n1,C minor\n');
  writeFileSync(folder.at('delivery/map.json'), mapping('keys.csv'));
  writeFileSync(folder.at('delivery/out.json'), mapping('../secret'));
  writeFileSync(folder.at('delivery/pipe.json'), mapping('pipe'));
  symlinkSync('../secret', folder.at('delivery/link.json'));
  execFileSync('mkfifo', [folder.at('delivery/pipe')]);
  running = await serveConsole({ ...folder, path: folder.at('data') });
  client = running.client;
  await client.login();
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Previews the delivery, and returns the page of the job once it has ended. */
async function preview(...parts: [name: string, value: string, fileName?: string][]) {
  const path = ['path', folder.at('delivery/tracks.csv')] as const;
  const sent = await client.upload('/imports/new', [['what', 'explain'], path, ...parts]);
  expect(sent.status).toBe(303);
  return endOf(client, sent.headers.get('location')!);
}

describe('the name of a mapping in the console', () => {
  it('may be that of a file in the folder of the path, which may have side files', async () => {
    for (const name of ['map.json', folder.at('delivery/map.json')]) {
      expect(await preview(['mapName', name])).toContain('C minor');
    }
  });

  it.each([
    ['/etc/passwd', 'must lie beneath the folder'],
    ['../secret', 'must lie beneath the folder'],
    ['link.json', 'must lie beneath the folder'],
    ['pipe', 'is not a regular file'],
    ['keys.csv', 'is not valid JSON: Unexpected character (line 1 column 1)'],
    ['none.json', 'there is no such file, and the shipped mappings are catalog-dump'],
    ['a\0b', 'a path cannot contain the character NUL'],
    ['out.json', 'must be a path relative to the mapping, without'],
    ['pipe.json', 'the side file pipe of the mapping'],
  ])('is refused at once, without a content, if it is %j', async (name, reason) => {
    const page = await preview(['mapName', name]);
    expect(page).toContain(reason);
    expect(page).not.toMatch(/secret:19000|id,genre|root:x/);
  });
});

describe('an uploaded mapping', () => {
  it('reads no file of the server', async () => {
    for (const file of ['../../../../secret', folder.at('secret'), 'tracks.csv']) {
      const page = await preview(['map', mapping(file), 'map.json']);
      expect(page).toContain(`the side file ${file} of the mapping`);
      expect(page).not.toContain('secret:19000');
    }
  });

  it('is not quoted', async () => {
    const page = await preview(['map', SECRET, 'map.json']);
    expect(page).toContain('is not valid JSON: Unexpected character (line 1 column 1)');
    expect(page).not.toContain('secret:19000');
  });
});

it('has one message for a path with NUL', async () => {
  const told = 'a path cannot contain the character NUL';
  const sent = await client.upload('/imports/new', [
    ['what', 'import'],
    ['path', '/a\0b'],
  ]);
  expect([sent.status, sent.text.toLowerCase().includes(told.toLowerCase())]).toEqual([400, true]);
  // A catalog in PostgreSQL is not backed up here.
  if (ON_POSTGRES) return;
  const backup = await client.post('/backups', { folder: '/a\0b' });
  expect(await endOf(client, backup.headers.get('location')!)).toContain(told);
});
