import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSortableId } from '../../src/common/ids.ts';
import { openStoreOf, someTracks, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { publishCardFile } from '../harness/published-card.ts';
import { cardText } from '../harness/rate-cards.ts';
import { NO_RECEIVER } from '../harness/webhooks.ts';
import { type Answer, ConsoleClient, serveConsole } from './console-client.ts';
import { postPaths } from './post-paths.ts';

/** The forms that a change of what their page shows does not stop, with the reason. */
const WITHOUT_VERSION: Readonly<Record<string, string>> = {
  '/login': 'begins a session',
  '/logout': 'ends a session',
  '/password': 'asks for the password that it changes',
  '/clients/new': 'creates a client',
  '/clients/:id/seats': 'creates a seat',
  '/clients/:id/seats/:seat/link': 'makes a new link, and whoever has the unused one asks again',
  '/playlists': 'creates a playlist',
  '/imports/new': 'starts a job with what the form contains',
  '/imports/undo': 'starts a job that leaves what was changed since the import',
  '/backups': 'starts a job that copies what is stored then',
  '/doctor': 'starts a job that changes nothing',
  '/catalog': 'starts a job that changes nothing',
  '/webhooks/:id/ping': 'sends a new message',
  '/webhooks/:id/replay': 'sends messages once more',
  '/webhooks/:id/deliveries/:delivery/replay': 'sends a message once more',
  '/keys/rotate': 'creates keys, and the existing ones stay valid',
  '/keys/rotate-licenses': 'creates keys, and the existing ones stay valid',
  '/clients/:id/disable': 'takes rights away, whoever had given them',
  '/clients/:id/secrets/:secret/revoke': 'takes rights away, whoever had given them',
  '/clients/:id/playlists/revoke': 'takes rights away, whoever had given them',
  '/clients/:id/seats/:seat/disable': 'takes rights away, whoever had given them',
  '/clients/:id/seats/:seat/end-sessions': 'takes rights away, whoever had given them',
  '/clients/:id/seats/:seat/remove': 'takes rights away, whoever had given them',
  '/playlists/:id/revoke': 'takes rights away, whoever had given them',
  '/webhooks/:id/disable': 'takes rights away, whoever had given them',
  '/tracks/:id/takedown': 'takes rights away, whoever had given them',
  '/licenses/:number/revoke': 'takes rights away, whoever had given them',
  '/set-password': 'needs a link, which it uses up',
  '/operators': 'adds an operator',
  '/operators/:name/reset': 'makes a link, which replaces the former one',
  '/operators/:name/disable': 'takes rights away, whoever had given them',
  '/operators/:name/remove': 'takes rights away, whoever had given them',
};

interface Edit {
  path: string;
  fields: [name: string, value: string, fileName?: string][];
  /** Changes the same thing, as somebody else would. What the form then does is possible. */
  change(): Promise<unknown>;
}

const folder = temporaryFolder();
const data = folder.at('data');
let running: Awaited<ReturnType<typeof serveConsole>>;
let client: ConsoleClient;
let edits: Readonly<Record<string, Edit>>;
let me: string;

const run = (...args: string[]) => staveJson(data, args);
const text = (page: string) => page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const alertOf = (answer: Answer) => text(/role="alert".*?<\/(?:p|section)>/s.exec(answer.text)![0]);
const head = async () => (await run('log', '--limit', '1'))[0].seq;
const scopesOf = async (id: string) => (await run('clients', 'show', id)).scopes;

beforeAll(async () => {
  await writeFile(folder.at('tracks.ndjson'), someTracks(5));
  await stave(data, ['import', folder.at('tracks.ndjson'), '--source', 'label-a']);
  ({ clientId: me } = await run('clients', 'create', '-n', 'Acme', '-s', 'tracks,search'));
  const { clientId: other } = await run('clients', 'create', '-n', 'Other', '-s', 'tracks');
  const { id: list } = await run('playlists', 'create', '-n', 'Set', '-t', 'track-1,track-2');
  const { id: track } = await run('tracks', 'show', 'track-1');
  const webhook = await newWebhook();
  await run('operators', 'add', 'ben', '--role', 'operator');
  const { id: seat } = await run('seats', 'create', me, 'Ana', '--role', 'buyer');
  await publishCardFile(data, folder, { name: 'games' });
  running = await serveConsole({ ...folder, path: data });
  client = running.client;
  await client.login();
  edits = editsOf({ other, list, track, webhook, seat });
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function newWebhook(): Promise<string> {
  const store = await openStoreOf(data);
  const given = { url: NO_RECEIVER, eventTypes: ['track.created' as const], description: '' };
  const webhook = { ...given, id: newSortableId(1), secret: Buffer.alloc(32) };
  const { id } = await store.webhooks.create(
    { ...webhook, referencedOnly: false },
    { actor: `client:${me}`, clientId: me, mode: 'live' },
  );
  await store.close();
  return id;
}

/** `other` is a client. */
type EditedIds = Readonly<Record<'other' | 'list' | 'track' | 'webhook' | 'seat', string>>;

function editsOf(ids: EditedIds): Record<string, Edit> {
  const { other, list, track, webhook, seat } = ids;
  let times = 0;
  const changeClient = () => run('clients', 'update', me, '-r', String(100 + ++times));
  const changeList = () => run('playlists', 'update', list, '-d', `edit ${++times}`);
  const toggle = (kind: string, id: string, on: string, off: string) => async () => {
    for (const what of [off, on, off]) await stave(data, [kind, what, id]);
  };
  const ofList = (what: string, fields: Edit['fields']): Record<string, Edit> => ({
    [`/playlists/:id/${what}`]: { path: `/playlists/${list}/${what}`, fields, change: changeList },
  });
  const ofTrack = (what: string, fields: Edit['fields']): Record<string, Edit> => ({
    [`/tracks/:id/${what}`]: {
      ...{ path: `/tracks/${track}/${what}`, fields },
      change: () => run('tracks', 'edit', track, '--bpm', String(90 + ++times)),
    },
  });
  const card = (name: string): [string, string, string] => ['file', cardText({ name }), 'c.json'];
  return {
    '/clients/:id': {
      path: `/clients/${me}`,
      fields: [
        ['name', 'Acme'],
        ['scopes', 'filters'],
      ],
      change: changeClient,
    },
    '/clients/:id/enable': {
      path: `/clients/${me}/enable`,
      fields: [],
      change: toggle('clients', me, 'enable', 'disable'),
    },
    '/clients/:id/playlists': {
      path: `/clients/${other}/playlists`,
      fields: [['playlist', list]],
      change: changeList,
    },
    '/clients/:id/seats/:seat': {
      path: `/clients/${me}/seats/${seat}`,
      fields: [
        ['name', 'Ana'],
        ['role', 'listener'],
        ['mode', 'live'],
      ],
      change: () => run('seats', 'update', seat, '--name', `Ana ${++times}`),
    },
    '/clients/:id/seats/:seat/enable': {
      path: `/clients/${me}/seats/${seat}/enable`,
      fields: [],
      change: toggle('seats', seat, 'enable', 'disable'),
    },
    '/clients/:id/secrets': {
      path: `/clients/${me}/secrets`,
      fields: [['mode', 'test']],
      change: changeClient,
    },
    ...ofList('update', [['name', 'Set']]),
    ...ofList('add', [['tracks', 'track-3']]),
    ...ofList('move', [
      ['track', 'track-3'],
      ['position', '1'],
    ]),
    ...ofList('remove', [['track', 'track-3']]),
    ...ofList('grant', [['client', me]]),
    ...ofList('delete', []),
    '/tracks/:id/restore': {
      path: `/tracks/${track}/restore`,
      fields: [['reason', 'cleared']],
      change: toggle('tracks', track, 'restore', 'takedown'),
    },
    ...ofTrack('edit', [['tags', 'loud']]),
    ...ofTrack('revert', [['field', 'tags']]),
    '/webhooks/:id/enable': {
      path: `/webhooks/${webhook}/enable`,
      fields: [],
      change: toggle('webhooks', webhook, 'enable', 'disable'),
    },
    '/operators/:name': {
      path: '/operators/ben',
      fields: [['role', 'viewer']],
      change: async () => {
        for (const role of ['viewer', 'owner'])
          await run('operators', 'update', 'ben', '--role', role);
      },
    },
    '/operators/:name/enable': {
      path: '/operators/ben/enable',
      fields: [],
      change: toggle('operators', 'ben', 'enable', 'disable'),
    },
    '/rate-cards': {
      path: '/rate-cards',
      fields: [['what', 'publish'], ['allowMissing', 'yes'], card('games')],
      change: () => publishCardFile(data, folder, { name: 'games', minimumMinor: ++times }),
    },
    '/rate-cards/:name/:version/withdraw': {
      path: '/rate-cards/games/1/withdraw',
      fields: [],
      change: () => publishCardFile(data, folder, { name: 'games', minimumMinor: ++times }),
    },
  };
}

/** Sends a form with this version. */
function send({ path, fields }: Edit, version: string): Promise<Answer> {
  const given: Edit['fields'] = [['version', version], ...fields];
  return path === '/rate-cards'
    ? client.upload(path, given)
    : client.post(path, given as [string, string][]);
}

it('every form carries a version, or has a reason why it needs none', async () => {
  const known = [...Object.keys(edits), ...Object.keys(WITHOUT_VERSION)];
  expect(known.sort()).toEqual(await postPaths());
  expect(new Set(known).size).toBe(known.length);
});

it('every form of a page has the version of the page', async () => {
  const pages = ['/clients/new', '/imports', '/imports/new', '/keys', '/doctor'];
  const ofEdits = Object.values(edits)
    .map(({ path }) => path.split('/').slice(0, 3).join('/'))
    .filter((path) => path !== '/rate-cards/games');
  const version = String(await head());
  for (const path of [...pages, ...ofEdits, '/rate-cards/games/1']) {
    const page = await client.get(path);
    expect(page.status, path).toBe(200);
    const forms = [...page.text.matchAll(/<form method="post" action="([^"]*)".*?<\/form>/gs)]
      .filter(([, action]) => action !== '/logout')
      .map(([form]) => form);
    expect(forms.length, path).toBeGreaterThan(0);
    for (const form of forms) expect(form).toContain(`name="version" value="${version}"`);
  }
});

it('each form with a version is refused with a stale or wrong one, and saved with that of now', async () => {
  for (const [route, edit] of Object.entries(edits)) {
    const { version } = await client.hidden();
    await edit.change();
    const before = await head();
    const stale = await send(edit, version);
    expect(stale.status, route).toBe(409);
    expect(alertOf(stale), route).toContain('was changed meanwhile, so nothing was saved.');
    for (const wrong of ['', '-1', '1e3', '1.0', '0x1', '999999999999999', '9'.repeat(400)]) {
      const refused = await send(edit, wrong);
      expect(refused.status, `${route} ${wrong}`).toBe(409);
      expect(alertOf(refused), route).toContain('does not say which version');
    }
    expect(await head(), route).toBe(before);
    const now = (await client.hidden()).version;
    expect((await send(edit, now)).status, route).toBe(303);
    expect(await head(), route).toBeGreaterThan(before);
  }
});

describe('a stale form', () => {
  it('does not give back a right that was taken away, and shows both', async () => {
    const { clientId: id } = await run('clients', 'create', '-n', 'Beta', '-s', 'tracks,search');
    const to = `/clients/${id}`;
    const { version } = await client.hidden(to);
    await run('clients', 'update', id, '--scopes', 'tracks');
    const sent: [string, string][] = [
      ...[['name', '<b>Beta</b>'] as [string, string], ['rateLimit', '90'] as [string, string]],
      ...[['scopes', 'tracks'] as [string, string], ['scopes', 'search'] as [string, string]],
    ];
    const page = await client.post(to, [['version', version], ...sent]);
    expect(page.status).toBe(409);
    expect(await scopesOf(id)).toEqual(['tracks']);
    const shown = text(page.text);
    expect(shown).toContain(
      'Stored now You sent Name Beta &lt;b&gt;Beta&lt;/b&gt; Scopes tracks tracks, search Rate limit (empty) 90',
    );
    expect(page.text).not.toContain('<b>');
    expect(page.text).toContain('value="search" checked');
    expect(page.text).toContain(`href="/log?entity=client&amp;id=${id}"`);
    const next = /name="version" value="(\d+)"/.exec(page.text)![1]!;
    await client.submit(to, [['version', next], ...sent]);
    expect(await scopesOf(id)).toEqual(['tracks', 'search']);
  });

  it('of two operators at once is saved for one of them', async () => {
    const { clientId: id } = await run('clients', 'create', '-n', 'Gamma', '-s', 'tracks');
    const other = new ConsoleClient(client.url);
    await other.login();
    const forms = await Promise.all(
      [client, other].map(async (one) => ({ one, hidden: await one.hidden(`/clients/${id}`) })),
    );
    const names = ['First', 'Second'];
    const answers = await Promise.all(
      forms.map(({ one, hidden }, i) =>
        one.post(`/clients/${id}`, { ...hidden, name: names[i]!, scopes: 'tracks' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    const saved = answers.findIndex(({ status }) => status === 303);
    expect((await run('clients', 'show', id)).name).toBe(names[saved]);
    expect(text(answers[1 - saved]!.text)).toContain(`Name ${names[saved]} ${names[1 - saved]}`);
  });

  it('that was refused for another reason keeps its version', async () => {
    const { clientId: id } = await run('clients', 'create', '-n', 'Delta', '-s', 'tracks,search');
    const to = `/clients/${id}`;
    const { version } = await client.hidden(to);
    await run('clients', 'update', id, '--scopes', 'tracks');
    const fields: [string, string][] = [
      ['scopes', 'tracks'],
      ['scopes', 'search'],
    ];
    const invalid = await client.post(to, [['version', version], ['name', ''], ...fields]);
    expect(invalid.status).toBe(400);
    const form = /<form method="post" action="\/clients\/[^/"]+" .*?<\/form>/s.exec(
      invalid.text,
    )![0];
    expect(form).toContain(`name="version" value="${version}"`);
    expect((await client.post(to, [['version', version], ['name', 'D'], ...fields])).status).toBe(
      409,
    );
    expect(await scopesOf(id)).toEqual(['tracks']);
  });

  it('of a page that is gone is shown with what it contained', async () => {
    const { id } = await run('playlists', 'create', '-n', 'Gone', '-t', 'track-1');
    const { version } = await client.hidden(`/playlists/${id}`);
    await run('playlists', 'delete', id);
    const fields = { version, name: 'Long <i>work</i>', description: '' };
    const page = await client.post(`/playlists/${id}/update`, fields);
    expect(page.status).toBe(404);
    expect(page.text).toContain('Long &lt;i&gt;work&lt;/i&gt;');
    expect(page.text).not.toContain('<i>');
  });

  it('of a button tells what it was to do', async () => {
    const tracks = 'track-2,track-3,track-4';
    const { id } = await run('playlists', 'create', '-n', 'Order', '-t', tracks);
    const { version } = await client.hidden(`/playlists/${id}`);
    await run('playlists', 'reorder', id, '--track', 'track-3', '--position', '1');
    const move = { version, track: 'track-2', position: '3' };
    const page = await client.post(`/playlists/${id}/move`, move);
    expect(page.status).toBe(409);
    expect(text(page.text)).toMatch(
      /was changed meanwhile, .* You sent: Track track-2 Position 3 .* Track 3 .* Track 2 .* Track 4 /,
    );
  });
});
