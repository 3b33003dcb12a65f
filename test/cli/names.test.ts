import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { asClient } from '../contract/collections-support.ts';
import {
  type Json,
  openStoreOf,
  someTracks,
  stave,
  staveJson,
  temporaryFolder,
} from '../harness/cli.ts';
import { publishCardFile } from '../harness/published-card.ts';
import { cardText } from '../harness/rate-cards.ts';

const folder = temporaryFolder();
const data = folder.at('data');
let acme: Json;
beforeAll(async () => {
  await writeFile(folder.at('tracks.ndjson'), someTracks(3));
  await stave(data, ['import', folder.at('tracks.ndjson')]);
  acme = await staveJson(data, ['clients', 'create', '-n', 'Acme Video', '-s', 'tracks,playlists']);
  const twice = ['clients', 'create', '-n', 'Twice', '-s', 'tracks', '--allow-duplicate'];
  await staveJson(data, twice);
  await staveJson(data, twice);
  await staveJson(data, ['playlists', 'create', '-n', 'Best', '-t', 'track-1']);
  await publishCardFile(data, folder, { name: 'premium' });
});
afterAll(() => folder[Symbol.dispose]());

const refusal = async (...args: string[]) => {
  const { code, stderr } = await stave(data, args);
  expect(code).toBe(1);
  return stderr;
};

describe('a client', () => {
  it('is found by its name, in any case, if no other client has it', async () => {
    const { clientId } = acme;
    expect(await staveJson(data, ['clients', 'show', 'acme video'])).toMatchObject({ clientId });
    expect(await staveJson(data, ['clients', 'show', clientId.toUpperCase()])).toMatchObject({
      clientId,
    });
    const limit = ['clients', 'update', 'Acme Video', '--rate-limit', '10'];
    expect(await staveJson(data, limit)).toMatchObject({ clientId, rateLimit: 10 });
    expect(await staveJson(data, ['clients', 'disable', 'Acme Video'])).toMatchObject({ clientId });
    expect(await staveJson(data, ['clients', 'enable', 'Acme Video'])).toMatchObject({ clientId });
    const grant = ['playlists', 'grant', 'best', '--client', 'Acme Video'];
    expect(await staveJson(data, grant)).toMatchObject({ clientId, granted: true });
    const listed = await staveJson(data, ['playlists', 'list', '-c', 'ACME VIDEO']);
    expect(listed).toMatchObject([{ slug: 'best' }]);
    const log = await staveJson(data, ['log', '--client', 'Acme Video']);
    expect(new Set(log.map((change: Json) => change.entityId))).toEqual(new Set([clientId]));
  });

  const DAYS = ['--from', '2026-01-01', '--to', '2026-01-31'];
  it.each([
    [['clients', 'show']],
    [['clients', 'rotate-secret', '--mode', 'test']],
    [['playlists', 'list', '--client']],
    [['webhooks', 'list', '--client']],
    [['collections', 'list', '--client']],
    [['saved-searches', 'list', '--client']],
    [['quotes', 'list', '--client']],
    [['licenses', 'list', '--client']],
    [['licenses', 'export', ...DAYS, '--client']],
    [['usage', 'summary', ...DAYS, '--client']],
    [['usage', 'cue-sheet', '--production', 'p', '--client']],
    [['log', '--client']],
  ])('is refused by %j with the nearest name, or if several have the name', async (command) => {
    const near = await refusal(...command, 'Acme Vidoe');
    expect(near).toContain('There is no client Acme Vidoe (did you mean Acme Video?)');
    expect(await refusal(...command, 'Twice')).toMatch(
      /2 clients have the name Twice: give an id, [\w-]{36} or [\w-]{36}\./,
    );
  });

  it('is shown by its name, with its id if several have the name', async () => {
    const store = await openStoreOf(data);
    const [twice] = (await store.clients.all()).filter(({ name }) => name === 'Twice');
    for (const id of [acme.clientId, twice!.id]) {
      const webhook = {
        ...{ id: newId(), url: 'https://partner.example/hook', eventTypes: [], description: '' },
        ...{ referencedOnly: false, secret: Buffer.alloc(32, 1) },
      };
      await store.webhooks.create(webhook, asClient(id));
    }
    await store.close();
    const { stdout } = await stave(data, ['webhooks', 'list']);
    expect(stdout).toMatch(/ Acme Video +(?:test|live) /);
    expect(stdout).toContain(` Twice (${twice!.id}) `);
    const listed = await staveJson(data, ['webhooks', 'list']);
    expect(listed.map((one: Json) => one.clientName).sort()).toEqual(['Acme Video', 'Twice']);
    const { stdout: playlist } = await stave(data, ['playlists', 'show', 'best']);
    expect(playlist).toMatch(/^clients +Acme Video$/m);
  });

  it('that is unknown to the exported licenses is refused', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect(await refusal('licenses', 'export', ...DAYS, '--client', id)).toContain(
      `There is no client ${id}, and none had licenses under this id.`,
    );
  });
});

describe('a rate card', () => {
  const NONE = 'There is no rate card premuim (did you mean premium?): publish it first';
  const create = ['clients', 'create', '-n', 'Radio', '-s', 'tracks', '--rate-card'];

  it('of a client must be in force, unless it may be missing', async () => {
    expect(await refusal(...create, 'premuim')).toContain(`${NONE}, or give --allow-missing.`);
    const update = ['clients', 'update', 'Acme Video', '--rate-card'];
    expect(await refusal(...update, 'premuim')).toContain(NONE);
    await staveJson(data, [...update, 'premium']);
    await staveJson(data, ['rate-cards', 'withdraw', 'premium@1']);
    // What the client has already, and the default, need not exist.
    await staveJson(data, [...update, 'premium', '--rate-limit', '20']);
    await staveJson(data, [...update, 'standard']);
    expect(await refusal(...update, 'premium')).toContain('There is no rate card premium:');
    const allowed = await staveJson(data, [...update, 'premium', '--allow-missing']);
    expect(allowed).toMatchObject({ rateCard: 'premium' });
    await publishCardFile(data, folder, { name: 'premium' });
  });

  it('of a file of clients must be in force', async () => {
    const rows = 'name,scopes,rateCard\nOne,tracks,premium\nTwo,tracks,premuim\n';
    await writeFile(folder.at('clients.csv'), rows);
    const check = ['clients', 'import', folder.at('clients.csv'), '--dry-run'];
    expect(await refusal(...check)).toContain(`line 3: rateCard: ${NONE}`);
    const { valid } = await staveJson(data, [...check, '--allow-missing']);
    expect(valid).toMatchObject([{ rateCard: 'premium' }, { rateCard: 'premuim' }]);
  });

  it('is suggested to who misspells it', async () => {
    expect(await refusal('rate-cards', 'show', 'premuim')).toContain('(did you mean premium?)');
    expect(await refusal('rate-cards', 'withdraw', 'premuim@1')).toContain('did you mean premium?');
    expect(await refusal('rate-cards', 'show', 'premium@9')).toContain(
      'There is no rate card premium@9; ',
    );
  });

  it('must have surcharges for filters of the catalog, unless they may be missing', async () => {
    const { filters } = await staveJson(data, ['tracks', 'show', 'track-1']);
    const { slug } = filters[0];
    const surcharges = [
      { filterSlug: slug, factor: '2' },
      { filterSlug: `${slug}x`, factor: '2' },
    ];
    await writeFile(folder.at('card.json'), cardText({ name: 'games', surcharges }));
    const publish = ['rate-cards', 'publish', folder.at('card.json')];
    const wrong = `surcharges: there is no filter ${slug}x (did you mean ${slug}?)`;
    expect(await refusal(...publish)).toContain(wrong);
    expect(await refusal(...publish, '--dry-run')).toContain(wrong);
    expect(await staveJson(data, [...publish, '--allow-missing'])).toMatchObject({ version: 1 });
  });
});

it.each([
  [['playlists', 'show', 'bset'], 'There is no playlist bset (did you mean best?).'],
  [['playlists', 'grant', 'bset', '-c', 'Acme Video'], '(did you mean best?)'],
  [
    ['playlists', 'add', 'best', '-t', 'trakc-2'],
    'There is no track trakc-2 (did you mean track-2?).',
  ],
  [['tracks', 'show', 'trakc-2'], 'There is no track trakc-2 (did you mean track-2?).'],
  [['licenses', 'list', '--track', 'trakc-2'], '(did you mean track-2?)'],
  [['log', '--track', 'trakc-2'], '(did you mean track-2?)'],
])('suggests the nearest name for %j', async (command, message) => {
  expect(await refusal(...command)).toContain(message);
});
