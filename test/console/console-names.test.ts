import { expect, it } from 'vitest';
import { staveJson, temporaryFolder } from '../harness/cli.ts';
import { publishCardFile } from '../harness/published-card.ts';
import { cardText } from '../harness/rate-cards.ts';
import { serveConsole } from './console-client.ts';

it('refuses names that refer to nothing, unless they may', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  await publishCardFile(data, folder, { name: 'premium' });
  await using console_ = await serveConsole({ ...folder, path: data });
  const { client } = console_;
  await client.login();

  const terms: [string, string][] = [
    ['name', 'Radio'],
    ['scopes', 'tracks'],
    ['rateCard', 'premuim'],
  ];
  const refused = await client.post('/clients/new', terms);
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('There is no rate card premuim (did you mean premium?)');
  expect(refused.text).toContain('or tick that it may be missing.');
  expect((await client.post('/clients/new', [...terms, ['allowMissing', 'yes']])).status).toBe(303);
  const [{ clientId }] = await staveJson(data, ['clients', 'list']);

  // The form sends all terms: what the client has already is no reason to refuse another change.
  const renamed = terms.with(0, ['name', 'Radio 2']);
  expect((await client.post(`/clients/${clientId}`, renamed)).status).toBe(303);
  const other = terms.with(2, ['rateCard', 'pemium']);
  expect((await client.post(`/clients/${clientId}`, other)).status).toBe(400);
  expect(await staveJson(data, ['clients', 'show', 'radio 2'])).toMatchObject({
    rateCard: 'premuim',
  });

  const publish = (...more: [string, string][]) =>
    client.upload('/rate-cards', [['what', 'publish'], ...more, ['file', cardText(), 'card.json']]);
  const unknown = await publish();
  expect(unknown.status).toBe(400);
  expect(unknown.text).toContain('Surcharges: there is no filter premium');
  expect((await publish(['allowMissing', 'yes'])).status).toBe(303);
});
