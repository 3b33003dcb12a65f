import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONSOLE_ROUTES } from '../../src/operator/console/server/start.ts';
import { someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import {
  addOperator,
  ConsoleClient,
  endOf,
  loggedIn,
  PASSWORD,
  serveConsole,
} from './console-client.ts';

const folder = temporaryFolder();
const data = folder.at('data');
let running: Awaited<ReturnType<typeof serveConsole>>;
let owner: ConsoleClient;
let operator: ConsoleClient;
let viewer: ConsoleClient;
let track: string;

const run = (...args: string[]) => staveJson(data, args);
const sessionOf = (name: string, role: string) => loggedIn(owner, data, name, role);

beforeAll(async () => {
  await writeFile(folder.at('tracks.ndjson'), someTracks(3));
  await stave(data, ['import', folder.at('tracks.ndjson'), '--source', 'label-a']);
  ({ id: track } = await run('tracks', 'show', 'track-1'));
  running = await serveConsole({ ...folder, path: data });
  owner = running.client;
  await owner.login();
  operator = await sessionOf('ben', 'operator');
  viewer = await sessionOf('vera', 'viewer');
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Each route, with made-up values of its parameters. */
const pathsOf = (method: string) =>
  CONSOLE_ROUTES.filter((route) => route.method === method).map(({ path }) =>
    path.replaceAll(/:\w+(?:\([^)]*\))?/g, '1'),
  );

it('a viewer sends no form, and no page has one that it could send', async () => {
  const before = (await run('log', '--limit', '1'))[0].seq;
  for (const path of pathsOf('POST')) {
    const { csrf, version } = { csrf: await viewer.token('/'), version: String(before) };
    const answer = await viewer.post(path, { csrf, version });
    expect([path, answer.status]).toEqual([path, 403]);
    expect(answer.text).toContain('Your role is viewer');
  }
  expect((await run('log', '--limit', '1'))[0].seq).toBe(before);
  for (const path of [...pathsOf('GET'), `/tracks/${track}`]) {
    const page = await viewer.get(path);
    expect([200, 403, 404], path).toContain(page.status);
    const forms = page.text.match(/<form method="post" action="[^"]*"/g) ?? [];
    expect(
      forms.filter((form) => !form.includes('"/logout"')),
      path,
    ).toEqual([]);
  }
});

it('shows who is signed in, and only the pages that the role may open', async () => {
  const linksOf = async (client: ConsoleClient) => {
    const { text } = await client.get('/');
    return ['/operators', '/keys', '/backups', '/tracks'].filter((to) =>
      text.includes(`href="${to}"`),
    );
  };
  expect((await viewer.get('/')).text).toContain('vera <span class="badge plain">viewer</span>');
  expect(await linksOf(viewer)).toEqual(['/tracks']);
  expect(await linksOf(operator)).toEqual(['/tracks']);
  expect(await linksOf(owner)).toEqual(['/operators', '/keys', '/backups', '/tracks']);
  expect((await viewer.get('/clients')).text).not.toContain('New client');
  expect((await operator.get('/clients')).text).toContain('New client');
  for (const path of ['/operators', '/keys', '/backups']) {
    expect((await operator.get(path)).status, path).toBe(403);
  }
});

it('an operator imports what a browser sends, and only an owner what the server can read', async () => {
  const paths = [
    ['path', folder.at('tracks.ndjson')],
    ['source', 'label-b'],
    ['what', 'explain'],
  ] as const;
  const refused = await operator.upload('/imports/new', paths);
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('the role owner')]);
  expect((await operator.get('/imports/new')).text).not.toContain('name="path"');
  const sent = await operator.upload('/imports/new', [
    ['source', 'label-b'],
    ['what', 'import'],
    ['file', someTracks(1), 'b.ndjson'],
  ]);
  await endOf(operator, sent.headers.get('location')!);
  expect(await run('import', 'list')).toMatchObject([{ by: 'console:ben' }, {}]);
  expect((await owner.upload('/imports/new', paths)).status).toBe(303);
  const backup = await owner.post('/backups', { folder: folder.at('backup') });
  const job = backup.headers.get('location')!;
  await endOf(owner, job);
  expect((await operator.get(job)).status).toBe(403);
});

it('a change has the name of its operator', async () => {
  await operator.post(`/tracks/${track}/takedown`, { reason: 'claim' });
  const [change] = await run('log', '--actor', 'console:ben', '--track', track);
  expect(change).toMatchObject({ kind: 'taken_down', reason: 'claim', by: 'console:ben' });
});

it.each([
  ['disabled', ['disable']],
  ['removed', ['remove']],
  ['lowered', ['update', '--role', 'viewer']],
  ['whose password changes', []],
])('the sessions of an operator who is %s end at once', async (what, [command, ...options]) => {
  const name = `anna-${what.split(' ')[0]}`;
  const client = await sessionOf(name, 'operator');
  expect((await client.get('/')).status).toBe(200);
  if (command !== undefined) await run('operators', command, name, ...options);
  else {
    const [, token] = (await run('operators', 'reset', name)).link.split('#');
    const [password, again] = ['another long password', 'another long password'];
    expect((await client.get('/')).status).toBe(200);
    await client.post('/set-password', { token, password, again });
  }
  expect((await client.get('/')).status).toBe(303);
  expect((await client.login(PASSWORD, '/', name)).status).toBe(what === 'lowered' ? 303 : 401);
});

it('a higher role counts at once, and keeps the session', async () => {
  const client = await sessionOf('carla', 'viewer');
  expect((await client.get('/keys')).status).toBe(403);
  await run('operators', 'update', 'carla', '--role', 'owner');
  expect((await client.get('/keys')).status).toBe(200);
});

it('an owner adds, changes and removes operators as the commands do, and shows a link once', async () => {
  const made = await owner.submit('/operators', { name: 'Dora@Example.com', role: 'viewer' });
  const link = /<code>(http:[^<]*)<\/code>/.exec(made.text)![1]!;
  expect(link).toMatch(new RegExp(`^${owner.url}/set-password#\\w{22}$`));
  const to = '/operators/dora%40example.com';
  expect((await owner.get(to)).text).not.toContain(link);
  const before = (await owner.get(to)).text;
  expect(before).toContain('none, link until');
  await owner.submit(to, { role: 'operator' }, { from: to });
  await owner.submit(`${to}/reset`);
  await owner.submit(`${to}/disable`);
  await owner.submit(`${to}/enable`);
  const removed = await owner.submit(`${to}/remove`);
  expect(removed.text).toContain('dora@example.com is removed');
  const log = await run('log', '--entity', 'operator', '--actor', 'console:console');
  expect(log.map(({ kind }: { kind: string }) => kind)).toEqual([
    ...['removed', 'enabled', 'disabled', 'reset', 'updated', 'added'],
  ]);
  await run('operators', 'update', 'carla', '--role', 'viewer');
  for (const path of ['/operators/console/remove', '/operators/console/disable']) {
    const last = await owner.post(path);
    expect([last.status, last.text]).toEqual([409, expect.stringContaining('the last owner')]);
  }
  expect((await owner.post('/operators', { name: 'a/b', role: 'viewer' })).status).toBe(400);
  expect((await owner.get('/operators/nobody')).status).toBe(404);
});

it('a link sets a password once, and says why it does not', async () => {
  const token = await addOperator(data, 'emma', 'viewer');
  const client = new ConsoleClient(owner.url);
  const set = (fields: Record<string, string>) =>
    client.post('/set-password', { token, password: PASSWORD, again: PASSWORD, ...fields });
  expect((await set({ again: 'x' })).text).toContain('The two passwords differ');
  const short = await set({ password: 'short', again: 'short' });
  expect([short.status, short.text]).toEqual([
    400,
    expect.stringContaining('15 to 256 characters'),
  ]);
  expect(short.text).toContain(`value="${token}"`);
  expect((await set({})).text).toContain('Your password is set.');
  for (const used of [token, 'unknown', '']) {
    const again = await set({ token: used });
    expect([again.status, again.text]).toEqual([
      ...[404, expect.stringContaining('This link has ended')],
    ]);
  }
  expect((await client.login(PASSWORD, '/', 'EMMA')).status).toBe(303);
  expect(running.service.output()).not.toContain(token);
});
