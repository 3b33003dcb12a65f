import { describe, expect, it } from 'vitest';
import { derivedId } from '../../common/ids.ts';
import { createClient } from '../access/clients.ts';
import {
  clock,
  deliver,
  install,
  killableStore,
  NOW,
  ownTrack,
  renderBriefly,
} from './import-demo.test-support.ts';
import type { Demo } from './import-demo.ts';
import { DEMO_PLAYLISTS } from './offer.ts';
import { removeDemo } from './remove.ts';
import { DemoState } from './state.ts';
import { DEMO_TRACKS } from './tracks.ts';

describe('importDemo', () => {
  it('changes nothing in an existing catalog', async () => {
    const own = await install(renderBriefly);
    await deliver(own.store, ownTrack(null));
    expect(await own.load()).toEqual({ kind: 'absent' });
    expect((await own.store.catalog.counts()).live).toBe(1);
    await own.close();
  });

  it('has the same result after kills at any step', async () => {
    const demo = await install(renderBriefly);
    const killer = killableStore(demo.store);
    let runs = 0;
    let outcome: Demo | undefined;
    while (outcome === undefined) {
      killer.killAtStep(++runs);
      outcome = await demo.load({ store: killer.store }).catch(() => undefined);
    }
    expect(runs).toBeGreaterThan(10);
    if (outcome.kind !== 'new') throw new Error(`the load came to ${outcome.kind}`);
    expect(await demo.store.catalog.counts()).toMatchObject({ live: 36, playlists: 3 });
    const clients = await demo.store.clients.all();
    const { clientId, contractClient } = outcome;
    expect(new Set(clients.map(({ id }) => id))).toEqual(
      new Set([clientId, contractClient.clientId]),
    );
    for (const { id } of clients) {
      expect(await demo.store.playlists.list({ clientId: id })).toHaveLength(2);
    }
    expect(await demo.store.rateCards.list()).toMatchObject([{ version: 1, isInForce: true }]);
    expect(await demo.load()).toMatchObject({ kind: 'loaded', clientId });
    await demo.close();
  }, 240_000);

  it('reports that the client was deleted', async () => {
    const demo = await install(renderBriefly);
    const { clientId } = (await demo.load()) as { clientId: string };
    await demo.store.clients.delete(clientId, 'cli:test');
    expect(await demo.load()).toMatchObject({ kind: 'loaded', clientId: null });
    await demo.close();
  });
});

describe('removeDemo', () => {
  it('prevents any later load, even before the first start', async () => {
    const empty = await install(renderBriefly);
    expect(await empty.remove()).toMatchObject({ tracks: 0 });
    expect(await empty.load()).toEqual({ kind: 'absent' });
    await empty.close();
  });

  it('keeps what does not belong to the demo: tracks, clients, playlists, shared files', async () => {
    const demo = await install(renderBriefly);
    await demo.load();
    const shared = (await demo.store.catalog.trackRecord(DEMO_TRACKS[0]!.id))!;
    await new DemoState(demo.store.settings).setMediaKeys(await demo.mediaKeys());
    const mine = ownTrack(shared.audioKey);
    await deliver(demo.store, mine);
    const client = await createClient(
      { store: demo.store, clock, by: 'cli:test' },
      { name: 'Demo', scopes: ['tracks'] },
    );
    const own = {
      id: derivedId('own playlist'),
      name: 'Own',
      description: '',
      createdAt: NOW,
      updatedAt: NOW,
    };
    await demo.store.playlists.create(own, [DEMO_TRACKS[1]!.id, mine.id], 'cli:test');
    const [adopted] = DEMO_PLAYLISTS;
    await demo.store.playlists.setTracks(adopted!.id, [DEMO_TRACKS[2]!.id, mine.id], 'cli:test');

    expect(await demo.remove()).toMatchObject({ tracks: 36, playlists: 2, clients: 2 });
    expect((await demo.store.catalog.counts()).live).toBe(1);
    expect((await demo.store.clients.all()).map(({ id }) => id)).toEqual([client.clientId]);
    for (const id of [own.id, adopted!.id]) {
      expect((await demo.store.playlists.find(id))!.trackIds).toEqual([mine.id]);
    }
    expect(await demo.mediaKeys()).toEqual([shared.audioKey]);
    await demo.remove();
    expect(await demo.store.playlists.list({})).toHaveLength(2);
    await demo.close();
  });

  it('finishes a killed removal, and cleans up after a killed load', async () => {
    const demo = await install(renderBriefly);
    const killer = killableStore(demo.store);
    killer.killAtStep(12);
    await expect(demo.load({ store: killer.store })).rejects.toThrow('killed');
    let done = false;
    for (let step = 1; !done; step++) {
      killer.killAtStep(step);
      done = await removeDemo({ store: killer.store, media: demo.media, by: 'cli:test' }).then(
        () => true,
        () => false,
      );
      if (!done) expect(await new DemoState(demo.store.settings).progress()).not.toBe('untouched');
    }
    expect(await demo.store.catalog.counts()).toMatchObject({ live: 0, filters: 0, playlists: 0 });
    expect(await demo.store.clients.all()).toEqual([]);
    expect(await demo.store.languages.available()).toEqual([]);
    expect((await demo.store.rateCards.list()).filter(({ isInForce }) => isInForce)).toEqual([]);
    expect(await demo.load()).toEqual({ kind: 'absent' });
    await demo.close();
  });
});
