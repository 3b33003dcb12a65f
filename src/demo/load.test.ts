import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, MODES } from '../access/client.ts';
import { createClient } from '../access/clients.ts';
import type { TrackDelivery } from '../catalog/track.ts';
import { derivedId } from '../kernel/ids.ts';
import { silentLog } from '../kernel/log.ts';
import type { MediaStore } from '../media/media-store.ts';
import { openDiskMediaStore } from '../storage/disk/media-store.ts';
import { openSqliteStore } from '../storage/sqlite/open.ts';
import type { Store } from '../storage/store.ts';
import { type Demo, loadDemo } from './load.ts';
import { DEMO_PLAYLISTS } from './playlists.ts';
import { removeDemo } from './remove.ts';
import type { Rendered } from './render.ts';
import { DemoState } from './state.ts';
import { silence } from './synth/sound.ts';
import { encodeWav } from './synth/wav.ts';
import { DEMO_TRACKS } from './tracks.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;
const clock = { now: () => NOW };

interface Installation {
  store: Store;
  media: MediaStore;
  load(change?: { store?: Store; createClient?: typeof createClient }): Promise<Demo>;
  remove(): ReturnType<typeof removeDemo>;
  mediaKeys(): Promise<string[]>;
  close(): Promise<void>;
}

/** A real store in a folder of its own; `render` as in `loadDemo`. */
async function install(render?: (folder: string) => Promise<Rendered[]>): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-demo-test-'));
  const store = await openSqliteStore({ path: join(folder, 'stave.db'), clock });
  const media = await openDiskMediaStore({ folder: join(folder, 'media') });
  return {
    store,
    media,
    load: (change = {}) =>
      loadDemo({
        store,
        media,
        clock,
        log: silentLog,
        createClient,
        ...(render && { render }),
        ...change,
      }),
    remove: () => removeDemo({ store, media, by: 'cli:test' }),
    async mediaKeys() {
      const keys: string[] = [];
      for await (const key of media.keys()) keys.push(key);
      return keys;
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A hundredth of a second for each track: for tests of everything but the sound. */
async function renderBriefly(folder: string): Promise<Rendered[]> {
  return Promise.all(
    DEMO_TRACKS.map(async ({ audio, artwork }, index) => {
      const side = silence(0.01).fill(index / 100);
      await writeFile(join(folder, audio), encodeWav({ left: side, right: side }));
      if (artwork !== null) await writeFile(join(folder, artwork), ONE_PIXEL);
      return { index, seconds: 0.01, mediaKeys: [] };
    }),
  );
}

const ONE_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('the demo, loaded', () => {
  let demo: Installation;
  let loaded: Demo & { kind: 'new' };

  beforeAll(async () => {
    demo = await install();
    const outcome = await demo.load();
    if (outcome.kind !== 'new') throw new Error(`the load came to ${outcome.kind}`);
    loaded = outcome;
  });
  afterAll(() => demo?.close());

  const records = () =>
    Promise.all(DEMO_TRACKS.map(async ({ id }) => (await demo.store.catalog.trackRecord(id))!));

  it('holds 24 tracks of music and 12 effects, all with audio, music with artwork', async () => {
    const all = await records();
    expect(all.filter(({ track }) => track.type === 'music')).toHaveLength(24);
    expect(all.filter(({ track }) => track.type === 'sfx')).toHaveLength(12);
    for (const { track, audioKey, artworkKey } of all) {
      expect(track.hasAudio).toBe(true);
      expect(await demo.media.stat(audioKey!)).toBeDefined();
      expect(artworkKey !== null).toBe(track.type === 'music');
    }
    expect(new Set(all.map(({ audioKey }) => audioKey)).size).toBe(36);
  });

  it('is varied in everything that one can search for', async () => {
    const tracks = (await records()).map(({ track }) => track);
    const music = tracks.filter(({ type }) => type === 'music');
    const distinct = <T>(values: T[]) => new Set(values).size;
    expect(distinct(music.map(({ durationSeconds }) => durationSeconds))).toBeGreaterThan(10);
    expect(Math.min(...music.map(({ durationSeconds }) => durationSeconds))).toBeLessThan(17);
    expect(Math.max(...music.map(({ durationSeconds }) => durationSeconds))).toBeGreaterThan(55);
    expect(distinct(music.flatMap(({ songKey }) => songKey))).toBeGreaterThan(12);
    expect(distinct(music.map(({ bpm }) => bpm))).toBeGreaterThan(15);
    expect(distinct(music.map(({ timeSignature }) => timeSignature))).toBeGreaterThan(1);
    expect(distinct(music.map(({ hasVocals }) => hasVocals))).toBe(2);
    expect(distinct(music.map(({ isPRO }) => isPRO))).toBe(2);
    expect(distinct(music.map(({ region }) => region))).toBeGreaterThan(3);
    expect(distinct(music.map(({ releaseDate }) => releaseDate))).toBeGreaterThan(20);
    expect(distinct(music.map(({ isrc }) => isrc))).toBe(24);
    expect(
      distinct(tracks.flatMap(({ artists }) => artists.map(({ role }) => role))),
    ).toBeGreaterThan(6);
    const filters = await demo.store.catalog.filters();
    for (const type of ['genre', 'mood', 'use-case']) {
      expect(filters.filter((filter) => filter.type === type).length).toBeGreaterThan(8);
    }
    for (const { releaseDate } of tracks) expect(Date.parse(releaseDate)).toBeLessThan(NOW);
  });

  it('sounds: loud enough, never clipped, centred, quiet at its end, and no two alike', async () => {
    const spectra: string[] = [];
    for (const { track, audioKey } of await records()) {
      const chunks: Buffer[] = [];
      for await (const chunk of await demo.media.read(audioKey!)) chunks.push(chunk as Buffer);
      const file = Buffer.concat(chunks);
      const samples = new Int16Array(new Uint8Array(file.subarray(44)).buffer);
      const frames = samples.length / 2;
      expect(Math.max(1, Math.round(frames / 32_000)), track.name).toBe(track.durationSeconds);
      let square = 0;
      let sum = 0;
      let peak = 0;
      let crossings = 0;
      for (let i = 0; i < samples.length; i++) {
        const value = samples[i]! / 32_768;
        square += value * value;
        sum += value;
        peak = Math.max(peak, Math.abs(value));
        if (i > 1 && value < 0 !== samples[i - 2]! < 0) crossings++;
      }
      const decibels = 10 * Math.log10(square / samples.length);
      expect(decibels, track.name).toBeGreaterThan(-25);
      expect(decibels, track.name).toBeLessThan(-13);
      expect(peak, track.name).toBeLessThan(0.9);
      expect(Math.abs(sum / samples.length), track.name).toBeLessThan(0.005);
      for (const end of samples.subarray(-200)) expect(Math.abs(end), track.name).toBeLessThan(40);
      spectra.push(`${Math.round(decibels * 10)} ${Math.round((crossings * 1000) / frames)}`);
    }
    expect(new Set(spectra).size).toBeGreaterThan(33);
  });

  it('has three playlists, of which the client may see two', async () => {
    const all = await demo.store.playlists.list({});
    const granted = await demo.store.playlists.list({ clientId: loaded.clientId });
    expect(all).toHaveLength(3);
    expect(granted).toHaveLength(2);
    for (const { id, trackCount, durationSeconds } of all) {
      expect(trackCount).toBe(DEMO_PLAYLISTS.find((one) => one.id === id)!.trackNames.length);
      expect(durationSeconds).toBeGreaterThan(60);
    }
  });

  it('has an answer to what sells best in both modes and all periods, and not the same one', async () => {
    for (const mode of MODES) {
      let before = 0;
      for (const days of [7, 30, 90, 365, null]) {
        const since = days === null ? null : NOW - days * DAY_MS;
        const list = await demo.store.licences.mostLicensed(mode, since);
        const total = list.reduce((sum, { licenseCount }) => sum + licenseCount, 0);
        expect(list.length, `${mode} ${days}`).toBeGreaterThan(4);
        expect(list[0]!.licenseCount).toBeGreaterThan(list.at(-1)!.licenseCount);
        expect(total).toBeGreaterThan(before);
        before = total;
      }
      expect((await demo.store.licences.mostLicensed(mode, null)).length).toBeLessThan(36);
    }
    const best = async (mode: 'live' | 'test') =>
      (await demo.store.licences.mostLicensed(mode, null)).map(({ trackId }) => trackId);
    expect(await best('live')).not.toEqual(await best('test'));
  });

  it('has a client with every scope and no features', async () => {
    const client = (await demo.store.clients.get(loaded.clientId))!;
    expect(new Set(client.scopes)).toEqual(new Set(ALL_SCOPES));
    expect(client.features).toEqual([]);
    expect(loaded.testSecret).toMatch(/^stave_test_/);
    expect(loaded.liveSecret).toMatch(/^stave_live_/);
    const [first] = DEMO_TRACKS;
    expect([loaded.sampleTrackId, loaded.sampleName]).toEqual([first!.id, first!.name]);
  });

  it('is not loaded twice, and its secrets are not told again', async () => {
    const head = await demo.store.changes.head();
    const { clientId, sampleTrackId } = loaded;
    expect(await demo.load()).toMatchObject({ kind: 'loaded', clientId, sampleTrackId });
    expect(await demo.store.changes.head()).toBe(head);
  });

  it('is removed without a trace and never comes back', async () => {
    expect(await demo.mediaKeys()).toHaveLength(60);
    expect(await demo.remove()).toEqual({ tracks: 36, playlists: 3, clients: 1, mediaFiles: 60 });
    expect(await demo.store.catalog.counts()).toEqual({
      live: 0,
      takenDown: 0,
      filters: 0,
      playlists: 0,
    });
    expect(await demo.store.clients.all()).toEqual([]);
    for (const mode of MODES)
      expect(await demo.store.licences.mostLicensed(mode, null)).toEqual([]);
    expect(await demo.mediaKeys()).toEqual([]);
    for (const name of ['demo.client', 'demo.media', 'demo.folder']) {
      expect(await demo.store.settings.get(name)).toBeUndefined();
    }
    expect(await demo.load()).toEqual({ kind: 'absent' });
    expect(await demo.remove()).toEqual({ tracks: 0, playlists: 0, clients: 0, mediaFiles: 0 });
  });
});

describe('loadDemo', () => {
  it('leaves a catalog alone that was there before', async () => {
    const own = await install(renderBriefly);
    await deliver(own.store, ownTrack(null));
    expect(await own.load()).toEqual({ kind: 'absent' });
    expect((await own.store.catalog.counts()).live).toBe(1);
    await own.close();
  });

  it('comes to the same end however often it was killed, wherever that was', async () => {
    const demo = await install(renderBriefly);
    const killer = killableStore(demo.store);
    let runs = 0;
    let outcome: Demo | undefined;
    while (outcome === undefined) {
      killer.killAtStep(++runs);
      outcome = await demo.load({ store: killer.store }).catch(() => undefined);
    }
    expect(runs).toBeGreaterThan(10);
    expect(outcome.kind).toBe('new');
    expect(await demo.store.catalog.counts()).toMatchObject({ live: 36, playlists: 3 });
    const clients = await demo.store.clients.all();
    expect(clients.map(({ id }) => id)).toEqual([(outcome as { clientId: string }).clientId]);
    expect(await demo.store.playlists.list({ clientId: clients[0]!.id })).toHaveLength(2);
    expect(await demo.load()).toMatchObject({ kind: 'loaded', clientId: clients[0]!.id });
    await demo.close();
  });

  it('says so where the client was deleted since', async () => {
    const demo = await install(renderBriefly);
    const { clientId } = (await demo.load()) as { clientId: string };
    await demo.store.clients.delete(clientId, 'cli:test');
    expect(await demo.load()).toMatchObject({ kind: 'loaded', clientId: null });
    await demo.close();
  });
});

describe('removeDemo', () => {
  it('before any start keeps the demo from ever being loaded', async () => {
    const empty = await install(renderBriefly);
    expect(await empty.remove()).toMatchObject({ tracks: 0 });
    expect(await empty.load()).toEqual({ kind: 'absent' });
    await empty.close();
  });

  it('leaves what is not the demo’s: tracks, clients, playlists, shared files', async () => {
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

    expect(await demo.remove()).toMatchObject({ tracks: 36, playlists: 2, clients: 1 });
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

  it('finishes what a killed removal began, and clears up after a killed load', async () => {
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
    expect(await demo.load()).toEqual({ kind: 'absent' });
    await demo.close();
  });
});

/** The store, but that the step of that number and every later one fails, as after kill -9. */
function killableStore(store: Store): { store: Store; killAtStep(step: number): void } {
  let left = Number.POSITIVE_INFINITY;
  const killable = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (--left <= 0) throw new Error('killed');
          return member.apply(target, args);
        };
      },
    });
  return {
    killAtStep(step) {
      left = step;
    },
    store: {
      catalog: killable(store.catalog),
      playlists: killable(store.playlists),
      clients: killable(store.clients),
      keys: store.keys,
      licences: killable(store.licences),
      changes: killable(store.changes),
      settings: killable(store.settings),
      leases: store.leases,
      tables: store.tables,
      isReachable: () => store.isReachable(),
      backup: (path) => store.backup(path),
      check: (deep) => store.check(deep),
      close: () => store.close(),
    },
  };
}

function ownTrack(audioKey: string | null): TrackDelivery {
  return {
    id: derivedId('own track'),
    source: 'own',
    externalId: '1',
    name: 'Of my own',
    slug: null,
    type: 'music',
    bpm: '',
    songKey: [],
    timeSignature: '',
    durationSeconds: 10,
    region: 'WORLD',
    releasedAt: null,
    hasVocals: false,
    isPRO: false,
    tags: [],
    isrc: '',
    artists: [],
    filters: [],
    audioKey,
    artworkKey: null,
  };
}

async function deliver(store: Store, track: TrackDelivery): Promise<void> {
  const session = await store.catalog.openDelivery('test', 'batch');
  await session.deliver([track]);
  await session.close();
}
