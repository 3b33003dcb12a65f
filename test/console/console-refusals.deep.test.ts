import { readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { type Answer, type ConsoleClient, serveConsole } from './console-client.ts';

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

const run = (...args: string[]) => staveJson(data, args);
const alertOf = ({ text }: Answer) => /role="alert"[^>]*>([^<]*)</.exec(text)?.[1];
const fieldOf = ({ text }: Answer, name: string) =>
  new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1];

describe('a refused form', () => {
  it('keeps what it contained, and says why above it', async () => {
    const page = await client.post('/clients/new', [
      ['name', 'Acme "Video"'],
      ['scopes', 'playlists'],
      ['features', 'changes'],
      ['rateLimit', '-1'],
      ['allowDuplicate', 'yes'],
    ]);
    expect(page.status).toBe(400);
    expect(page.text).toContain('<title>Error: New client');
    expect(alertOf(page)).toContain('rateLimit');
    expect(page.text).toMatch(
      /<form[^>]*action="\/clients\/new"[^>]*>[\s\S]*role="alert"[\s\S]*<\/form>/,
    );
    expect(fieldOf(page, 'name')).toBe('Acme &quot;Video&quot;');
    expect(fieldOf(page, 'rateLimit')).toBe('-1');
    for (const ticked of ['playlists', 'changes', 'yes']) {
      expect(page.text).toContain(`value="${ticked}" checked`);
    }
    expect(page.text).not.toContain('value="tracks" checked');
    expect(await run('clients', 'list')).toEqual([]);
  });

  it('is answered with the status of the reason', async () => {
    const made = await run('clients', 'create', '-n', 'Acme', '-s', 'tracks');
    const twice = await client.post('/clients/new', { name: 'Acme', scopes: 'tracks' });
    expect(twice.status).toBe(409);
    expect(fieldOf(twice, 'name')).toBe('Acme');
    expect((await client.post('/playlists/none/add', { tracks: 'x' })).status).toBe(404);
    const { id } = await run('playlists', 'create', '-n', 'Set', '-t', 'track-1');
    const added = await client.post(`/playlists/${id}/add`, { slugs: 'no-such', position: '1' });
    expect(added.status).toBe(404);
    expect(alertOf(added)).toContain('no-such');
    expect(added.text).toContain('>no-such</textarea>');
    // The other forms of the page keep the values of the playlist.
    expect(fieldOf(added, 'name')).toBe('Set');
    const button = await client.post(`/clients/${made.clientId}/secrets/none/revoke`);
    expect(button.status).toBe(404);
    expect(button.text).toMatch(/class="notice problem" role="alert"/);
    for (const version of ['none', '1.5', '9999999999']) {
      const answer = await client.post(`/rate-cards/games/${version}/withdraw`);
      expect(answer.status).toBe(404);
    }
    const backup = await client.post('/backups', { folder: 'relative' });
    expect([backup.status, fieldOf(backup, 'folder')]).toEqual([400, 'relative']);
  });

  it('leads to its page when the browser loads its path', async () => {
    const answer = await client.get('/playlists/set/add');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/playlists/set']);
  });

  it('of an earlier session keeps what it contained and can be sent again', async () => {
    const old = await client.token('/clients');
    await client.post('/logout');
    await client.login();
    const page = await client.post('/clients/new', { csrf: old, name: 'New', scopes: 'tracks' });
    expect(page.status).toBe(403);
    expect(alertOf(page)).toContain('earlier session');
    expect(fieldOf(page, 'name')).toBe('New');
    const again = { csrf: fieldOf(page, 'csrf')!, name: 'New', scopes: 'tracks' };
    expect((await client.post('/clients/new', again)).status).toBe(303);
  });
});

describe('an upload', () => {
  const TYPE = 'multipart/form-data; boundary=b';
  const part = (head: string, body: string) =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
  const send = async (type: string | undefined, body: string) => {
    const token = part('name="csrf"', await client.token('/clients'));
    const headers = {
      ...{ cookie: client.cookie, origin: client.url },
      ...(type !== undefined && { 'content-type': type }),
    };
    const sent = await fetch(`${client.url}/imports/new`, {
      ...{ method: 'POST', headers, redirect: 'manual' as const },
      body: Buffer.from(token + body),
    });
    return { status: sent.status, headers: sent.headers, text: await sent.text() };
  };
  const file = (name: string, body = '{}') => part(`name="${name}"; filename="a.json"`, body);

  it.each([
    ['without a boundary', 'multipart/form-data', '', 400, 'its type has no boundary'],
    ['that ends in a file', TYPE, file('file').slice(0, -2), 400, 'it is incomplete'],
    ['that ends in an empty file', TYPE, part('name="file"; filename=""', ''), 400, 'incomplete'],
    ['that ends in a field', TYPE, part('name="path"', '/x').slice(0, -4), 400, 'it is incomplete'],
    ['of another boundary', 'multipart/form-data; boundary=c', '--b--', 400, 'it is incomplete'],
    ['with two files', TYPE, `${file('file')}${file('file')}--b--`, 400, 'two files in the field'],
    ['with many fields', TYPE, `${part('name="x"', '').repeat(40)}--b--`, 400, 'too many fields'],
    ['with a long field', TYPE, `${part('name="x"', 'x'.repeat(70_000))}--b--`, 400, 'too long'],
    ['of a plain form', 'application/x-www-form-urlencoded', '', 415, 'multipart/form-data'],
    ['without a type', undefined, '', 415, 'a type that the console does not read'],
  ])('%s is refused with a reason', async (_, type, body, status, reason) => {
    const answer = await send(type, body);
    expect(answer.text).toContain(reason);
    expect(answer.status).toBe(status);
    expect(await uploads()).toEqual([]);
  });

  it('that is refused keeps its fields', async () => {
    const page = await client.upload('/imports/new', [
      ['source', 'label-b'],
      ['path', 'relative'],
      ['type', 'sfx'],
      ['strict', 'yes'],
    ]);
    expect(page.status).toBe(400);
    expect(alertOf(page)).toContain('absolute path');
    expect([fieldOf(page, 'source'), fieldOf(page, 'path')]).toEqual(['label-b', 'relative']);
    expect(page.text).toContain('value="sfx" selected');
    expect(page.text).toMatch(/name="strict" value="yes" checked/);
  });

  it.each([
    ['relative', 'absolute path'],
    ['/nonexistent/x', '/nonexistent/x: no such file or folder'],
    ['/dev/null', '/dev/null is neither a file nor a folder'],
    ['', 'absolute path'],
  ])('is refused with the path %s', async (path, reason) => {
    const page = await client.upload('/imports/new', [
      ['path', path],
      ['what', 'import'],
    ]);
    expect(page.status).toBe(400);
    expect(alertOf(page)).toContain(reason);
    expect(fieldOf(page, 'path')).toBe(path);
  });

  it('keeps the end of a name, and nothing that leads elsewhere', async () => {
    for (const name of ['../../../x.json', 'a\r\nb.json', `${'字'.repeat(300)}.csv`]) {
      const sent = await client.upload('/imports/new', [
        ['what', 'explain'],
        ['file', '{}', name],
      ]);
      expect(sent.status).toBe(303);
    }
    const { text } = await client.get('/imports');
    const titles = [...text.matchAll(/href="\/jobs\/[^"]*">([^<]*)</g)].map(([, title]) => title);
    expect(titles).toEqual([`${'字'.repeat(76)}.csv`, 'a_0D_0Ab.json', 'x.json']);
    await until(async () => (await uploads()).length === 0, 'the removal of the files');
  });

  it('ends its connection when it goes on after it was refused', async () => {
    const { host, port } = new URL(client.url);
    const socket = connect(Number(port), '127.0.0.1');
    const chunk = 'x'.repeat(64 * 1024);
    const head = `POST /imports/new HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${client.url}\r\nCookie: ${client.cookie}\r\nContent-Type: ${TYPE}\r\nContent-Length: 1000000000\r\n\r\n`;
    let answered = '';
    let sent = 0;
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        answered += bytes;
      });
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.write(head + file('file'));
    await until(() => answered.includes(' 403 '), 'the response');
    const more = (error?: Error | null) => {
      if (error || !socket.writable) return;
      sent += chunk.length;
      socket.write(chunk, more);
    };
    more();
    await ended;
    expect(sent).toBeLessThan(100_000_000);
  });

  it('that is interrupted leaves no file', async () => {
    const { host, port } = new URL(client.url);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    const body = part('name="csrf"', await client.token('/clients'));
    socket.write(
      `POST /imports/new HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${client.url}\r\nCookie: ${client.cookie}\r\nContent-Type: ${TYPE}\r\nContent-Length: 1000000\r\n\r\n${body}${file('file', 'x'.repeat(200_000))}`,
    );
    await until(async () => (await uploads()).length > 0, 'the file');
    socket.destroy();
    await until(async () => (await uploads()).length === 0, 'the removal of the file');
  });
});

it('logs the stack of a job that fails unexpectedly, and the page stays plain', async () => {
  const database = new DatabaseSync(folder.at('data', 'stave.db'), { timeout: 10_000 });
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

async function uploads(): Promise<string[]> {
  return readdir(folder.at('data', 'uploads')).catch(() => []);
}
