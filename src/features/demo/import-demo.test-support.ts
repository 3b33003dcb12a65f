import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wav } from '../../../test/harness/wav.ts';
import { openSqliteStore } from '../../app/open/open-sqlite.ts';
import { derivedId } from '../../common/ids.ts';
import { silentLog } from '../../common/log.ts';
import { openDiskMediaStore } from '../../engines/blobs/disk/media-store.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import type { TrackDelivery } from '../catalog/track.ts';
import type { Store } from '../store.ts';
import { type Demo, importDemo } from './import-demo.ts';
import { removeDemo } from './remove.ts';
import { DEMO_TRACKS, type RenderedFiles } from './tracks.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);

export const DAY_MS = 86_400_000;

export const clock = { now: () => NOW };

export interface Installation {
  store: Store;
  media: MediaStore;
  load(change?: { store?: Store }): Promise<Demo>;
  remove(): ReturnType<typeof removeDemo>;
  mediaKeys(): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens a real store in its own folder; `render` as in `importDemo`. */
export async function install(
  render?: (folder: string) => Promise<RenderedFiles[]>,
): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-demo-test-'));
  const store = await openSqliteStore({ path: join(folder, 'stave.db'), clock });
  const media = await openDiskMediaStore({ folder: join(folder, 'media') });
  return {
    store,
    media,
    load: (change = {}) =>
      importDemo({
        store,
        media,
        clock,
        log: silentLog,
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

/** Writes a few samples for each track, for tests that do not depend on the sound. */
export async function renderBriefly(folder: string): Promise<RenderedFiles[]> {
  return Promise.all(
    DEMO_TRACKS.map(async ({ audio, artwork, parts }, index) => {
      for (const file of [audio, ...parts]) await writeFile(join(folder, file), wav(80 + index));
      if (artwork !== null) await writeFile(join(folder, artwork), ONE_PIXEL);
      return { seconds: 0.01, mediaKeys: [] };
    }),
  );
}

const ONE_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The store, except that the step with this number and all later ones fail, as after kill -9. */
export function killableStore(store: Store): { store: Store; killAtStep(step: number): void } {
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
      audioProperties: store.audioProperties,
      availability: store.availability,
      batches: store.batches,
      playlists: killable(store.playlists),
      languages: killable(store.languages),
      clients: killable(store.clients),
      calls: store.calls,
      clientRequests: store.clientRequests,
      clientSessions: store.clientSessions,
      seats: store.seats,
      keys: store.keys,
      mediaRequests: store.mediaRequests,
      nodes: store.nodes,
      licenseKeys: store.licenseKeys,
      idempotency: store.idempotency,
      collections: store.collections,
      collectionTracks: store.collectionTracks,
      links: store.links,
      guests: store.guests,
      renditionClaims: store.renditionClaims,
      streamClaims: store.streamClaims,
      streams: store.streams,
      renditions: store.renditions,
      sounds: store.sounds,
      soundJobs: store.soundJobs,
      sourceProvenance: store.sourceProvenance,
      soundClaims: store.soundClaims,
      savedSearches: store.savedSearches,
      synonyms: store.synonyms,
      licenses: killable(store.licenses),
      rateCards: killable(store.rateCards),
      quotes: store.quotes,
      issuedLicenses: store.issuedLicenses,
      licenseDownloads: store.licenseDownloads,
      usage: store.usage,
      usageRecords: store.usageRecords,
      cueSheets: store.cueSheets,
      trackEdits: store.trackEdits,
      trackFinder: store.trackFinder,
      trackMessages: store.trackMessages,
      references: store.references,
      webhooks: store.webhooks,
      webhookDeliveries: store.webhookDeliveries,
      webhookFanOut: store.webhookFanOut,
      webhookSending: store.webhookSending,
      changes: killable(store.changes),
      unchangedSince: (seq) => store.unchangedSince(seq),
      settings: killable(store.settings),
      operators: killable(store.operators),
      leases: store.leases,
      tables: store.tables,
      isReachable: () => store.isReachable(),
      backup: (path) => store.backup!(path),
      check: (deep) => store.check(deep),
      close: () => store.close(),
    },
  };
}

export function ownTrack(audioKey: string | null): TrackDelivery {
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

export async function deliver(store: Store, track: TrackDelivery): Promise<void> {
  const session = await store.catalog.openDelivery('test', 'batch');
  await session.deliver([track]);
  await session.close();
}
