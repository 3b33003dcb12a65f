import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, MODES } from '../../common/caller.ts';
import { AUDIO_EXTENSIONS } from '../../engines/blobs/content-types.ts';
import { renditionsOf } from '../renditions/rendition.ts';
import { DAY_MS, type Installation, install, NOW } from './import-demo.test-support.ts';
import type { Demo } from './import-demo.ts';
import { DEMO_PLAYLISTS } from './offer.ts';
import { SAMPLE } from './state.ts';
import { DEMO_TRACKS } from './tracks.ts';

const WAV_HEADER_BYTES = 44;
/** 32,000 frames per second, with two channels of 16 bits. */
const WAV_BYTES_PER_SECOND = 128_000;

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

  it('has a track with stems and one without its singers, both with a cutdown', async () => {
    const kinds = await Promise.all(
      DEMO_TRACKS.map(async ({ id, name }) => {
        const { stems, versions } = (await demo.store.catalog.trackParts(id))!.parts;
        for (const { audioKey, sizeBytes, durationSeconds } of [...stems, ...versions]) {
          expect((await demo.media.stat(audioKey))!.sizeBytes).toBe(sizeBytes);
          expect(durationSeconds).toBeGreaterThan(9);
        }
        return [name, [...stems, ...versions].map(({ kind }) => kind)] as const;
      }),
    );
    expect(kinds.filter(([, parts]) => parts.length > 0)).toEqual([
      ['Rooftop Cassette', ['keys', 'bass', 'melody', 'synth', 'drums', 'cutdown']],
      ['Night Bus Home', ['instrumental', 'cutdown']],
    ]);
  });

  it('has results for the searches of the examples', async () => {
    const night = (await records()).filter(({ track }) => /night/i.test(track.name));
    expect(night.length).toBeGreaterThan(2);
    const calm = night.filter(({ track }) => track.filters.some(({ slug }) => slug === 'calm'));
    expect(calm.length).toBeGreaterThan(1);
  });

  it('has various values in every searchable field', async () => {
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

  it('has the duration of each file', async () => {
    for (const { track, audioKey } of await records()) {
      const { sizeBytes } = (await demo.media.stat(audioKey!))!;
      const seconds = (sizeBytes - WAV_HEADER_BYTES) / WAV_BYTES_PER_SECOND;
      expect(track.durationSeconds, track.name).toBe(Math.max(1, Math.round(seconds)));
    }
  });

  it('has three playlists, of which the clients may see two', async () => {
    const all = await demo.store.playlists.list({});
    expect(all).toHaveLength(3);
    for (const { clientId } of [loaded, loaded.contractClient]) {
      expect(await demo.store.playlists.list({ clientId })).toHaveLength(2);
    }
    for (const { id, trackCount, durationSeconds } of all) {
      expect(trackCount).toBe(DEMO_PLAYLISTS.find((one) => one.id === id)!.trackNames.length);
      expect(durationSeconds).toBeGreaterThan(60);
    }
  });

  it('has most licensed tracks in both modes and all periods, which differ', async () => {
    for (const mode of MODES) {
      let before = 0;
      for (const days of [7, 30, 90, 365, null]) {
        const since = days === null ? null : NOW - days * DAY_MS;
        const list = await demo.store.licenses.mostLicensed(mode, since);
        const total = list.reduce((sum, { licenseCount }) => sum + licenseCount, 0);
        expect(list.length, `${mode} ${days}`).toBeGreaterThan(4);
        expect(list[0]!.licenseCount).toBeGreaterThan(list.at(-1)!.licenseCount);
        expect(total).toBeGreaterThan(before);
        before = total;
      }
      expect((await demo.store.licenses.mostLicensed(mode, null)).length).toBeLessThan(36);
    }
    const best = async (mode: 'live' | 'test') =>
      (await demo.store.licenses.mostLicensed(mode, null)).map(({ trackId }) => trackId);
    expect(await best('live')).not.toEqual(await best('test'));
  });

  it('has a client with every scope and no features', async () => {
    const client = (await demo.store.clients.get(loaded.clientId))!;
    expect(new Set(client.scopes)).toEqual(new Set(ALL_SCOPES));
    expect(client.features).toEqual([]);
    expect(loaded.testSecret).toMatch(/^stave_test_/);
    expect(loaded.liveSecret).toMatch(/^stave_live_/);
    const [first] = DEMO_TRACKS;
    expect(SAMPLE.name).toBe(first!.name);
  });

  it('is not loaded twice, and its secrets are not shown again', async () => {
    const head = await demo.store.changes.head();
    const { clientId, contractClient } = loaded;
    const contractClientId = contractClient.clientId;
    expect(await demo.load()).toMatchObject({
      ...{ kind: 'loaded', clientId, contractClientId },
    });
    expect(await demo.store.changes.head()).toBe(head);
  });

  it('is removed completely and never loaded again', async () => {
    const { renditions, renditionClaims } = demo.store;
    const sounds = (await renditions.soundsAfter(0, 2))!.sounds;
    await renditions.add(sounds.flatMap(renditionsOf));
    const claim = (await renditionClaims.claim('node', [...AUDIO_EXTENSIONS], 1))!;
    const { key, sizeBytes } = await demo.media.putBytes(Buffer.from('a preview'), 'mp3');
    const files = claim.names.map(() => ({ mediaKey: key, sizeBytes }));
    await renditionClaims.finish(claim, files);
    expect(await demo.mediaKeys()).toHaveLength(69);
    expect(await demo.remove()).toEqual({ tracks: 36, playlists: 3, clients: 2, mediaFiles: 69 });
    expect(await renditions.counts()).toEqual({ queued: 0, running: 0, done: 0, failed: 0 });
    expect(await demo.store.catalog.counts()).toEqual({
      live: 0,
      takenDown: 0,
      withdrawn: 0,
      unavailable: 0,
      filters: 0,
      playlists: 0,
    });
    expect(await demo.store.clients.all()).toEqual([]);
    for (const mode of MODES)
      expect(await demo.store.licenses.mostLicensed(mode, null)).toEqual([]);
    expect(await demo.mediaKeys()).toEqual([]);
    for (const name of ['demo.client', 'demo.contract-client', 'demo.media']) {
      expect(await demo.store.settings.get(name)).toBeUndefined();
    }
    expect(await demo.load()).toEqual({ kind: 'absent' });
    expect(await demo.remove()).toEqual({ tracks: 0, playlists: 0, clients: 0, mediaFiles: 0 });
  });
});
