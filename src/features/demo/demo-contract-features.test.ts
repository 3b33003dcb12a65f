import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, FEATURES } from '../../common/caller.ts';
import { createClient } from '../access/clients.ts';
import { makeQuote } from '../licensing/make-quote.ts';
import { parseRateCard } from '../licensing/rate-card-file.ts';
import {
  clock,
  deliver,
  type Installation,
  install,
  NOW,
  ownTrack,
  renderBriefly,
} from './import-demo.test-support.ts';
import type { Demo } from './import-demo.ts';
import { DEMO_ACTOR } from './state.ts';
import { DEMO_TRACKS } from './tracks.ts';

describe('the demo, for contract features', () => {
  let demo: Installation;
  let loaded: Demo & { kind: 'new' };

  beforeAll(async () => {
    demo = await install(renderBriefly);
    const outcome = await demo.load();
    if (outcome.kind !== 'new') throw new Error(`the load came to ${outcome.kind}`);
    loaded = outcome;
  });
  afterAll(() => demo?.close());

  it('has a second client with every feature and the rate card of the demo', async () => {
    const client = (await demo.store.clients.get(loaded.contractClient.clientId))!;
    expect(client.features.toSorted()).toEqual(FEATURES.toSorted());
    expect(client.scopes.toSorted()).toEqual(ALL_SCOPES.toSorted());
    expect(client.rateCard).toBe('demo');
    expect(loaded.contractClient.testSecret).toMatch(/^stave_test_/);
    expect(loaded.contractClient).not.toHaveProperty('liveSecret');
  });

  it('prices nothing for other clients, whose card is the standard one', async () => {
    const { rateCards } = demo.store;
    const { card } = (await rateCards.ofClient(loaded.contractClient.clientId))!;
    expect(card).toMatchObject({ currency: 'EUR', termsVersion: 'demo' });
    expect(await rateCards.ofClient(loaded.clientId)).toBeUndefined();
  });

  it('can quote every track, in its region', async () => {
    const [published] = await demo.store.rateCards.list();
    const card = { card: parseRateCard(published!.document), version: published!.version };
    for (const { id, name } of DEMO_TRACKS) {
      const { region } = (await demo.store.catalog.trackRecord(id))!.track;
      const request = {
        names: [id],
        media: ['online', 'social', 'broadcast'],
        territories: [region === 'EU' ? 'DE' : region],
        term: 'PERPETUAL',
        startsAt: null,
        audience: undefined,
        exclusive: true,
        project: { name: 'Test' },
      };
      const at = { buyer: null, now: NOW };
      const { terms } = await makeQuote(request, card, demo.store.quotes, at);
      expect(terms.amountMinor, name).toBeGreaterThan(100_000);
    }
  });
});

describe('a demo of an older version', () => {
  it('is not changed by a start', async () => {
    const old = await install(renderBriefly);
    const { store } = old;
    await deliver(store, ownTrack(null));
    const { clientId } = await createClient(
      { store, clock, by: DEMO_ACTOR },
      { name: 'Demo', scopes: ['tracks'] },
    );
    await store.settings.set('demo', 'loaded');
    await store.settings.set('demo.client', clientId);
    const head = await store.changes.head();
    expect(await old.load()).toMatchObject({
      ...{ kind: 'loaded', clientId, contractClientId: null },
    });
    expect(await store.changes.head()).toBe(head);
    expect(await store.rateCards.list()).toEqual([]);
    expect(await store.clients.all()).toHaveLength(1);
    expect(await old.remove()).toMatchObject({ clients: 1 });
    await old.close();
  });
});

describe('removeDemo', () => {
  it('keeps rate cards and filters of the operator, with all their names', async () => {
    const demo = await install(renderBriefly);
    await demo.load();
    const { languages, rateCards, catalog } = demo.store;
    await deliver(demo.store, {
      ...ownTrack(null),
      filters: [{ type: 'mood', name: 'Calm' }],
    });
    // The same as the name of the demo, so it changes nothing, but the operator relies on it.
    const name = { filter: 'calm', language: 'de', name: 'Ruhig' };
    await languages.translateFilters([name], 'cli:test');
    const { document } = await rateCards.show('demo');
    expect(await rateCards.publish({ name: 'demo', document }, 'cli:test')).toBe(2);

    await demo.remove();
    expect((await catalog.filters()).map(({ slug }) => slug)).toEqual(['calm']);
    const names = (await languages.filterNames()).map(({ language, name }) => [language, name]);
    expect(new Map(names as [string, string][])).toEqual(
      new Map([
        ['de', 'Ruhig'],
        ['ja', '穏やか'],
      ]),
    );
    expect(await rateCards.list()).toMatchObject([
      { version: 2, isInForce: true },
      { version: 1, isInForce: false },
    ]);
    await demo.close();
  });
});
