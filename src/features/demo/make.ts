import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_SCOPES, FEATURES, MODES } from '../../common/caller.ts';
import { type Clock, DAY_MS } from '../../common/clock.ts';
import { newId } from '../../common/ids.ts';
import type { Log } from '../../common/log.ts';
import { seededRandom } from '../../common/seeded-random.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import { createClient } from '../access/clients.ts';
import { runImport } from '../import/run.ts';
import type { License } from '../licensing/license.ts';
import type { Store } from '../store.ts';
import offer from './offer.json' with { type: 'json' };
import { DEMO_PLAYLISTS, DEMO_RATE_CARD, publishRateCard } from './offer.ts';
import { clientsOfDemo, DEMO_ACTOR, DEMO_SOURCE, type DemoState } from './state.ts';
import { DEMO_TRACKS, renderDemo } from './tracks.ts';
import { filterTranslations, playlistTexts } from './translations.ts';

export interface DemoDependencies {
  store: Store;
  media: MediaStore;
  clock: Clock;
  log: Log;
  /** Renders the files. Tests replace it. */
  render?: typeof renderDemo;
}

const CLIENT_NAME = 'Demo';
const CONTRACT_CLIENT_NAME = 'Demo with contract features';

export interface DemoClients {
  clientId: string;
  testSecret: string;
  liveSecret: string;
  /**
   * It has every contract feature. Nobody sees its live secret, so that it cannot buy a valid license at the prices of the
   * demo.
   */
  contractClient: { clientId: string; testSecret: string };
}

export async function makeDemo(
  dependencies: DemoDependencies,
  state: DemoState,
): Promise<DemoClients> {
  const { store, clock } = dependencies;
  await loadTracks(dependencies, state);
  await store.licenses.put(demoLicenses(clock.now()), DEMO_ACTOR, newId());
  await makePlaylists(dependencies);
  await translateFilters(store);
  await publishRateCard(store.rateCards);
  return makeClients(dependencies, state);
}

/** Renders the tracks into a temporary folder, and imports them like any other delivery. */
async function loadTracks(
  { store, media, clock, log, render = renderDemo }: DemoDependencies,
  state: DemoState,
): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'stave-demo-'));
  const rendered = await render(folder.path);
  // Stored before the import, so that a removal finds the files however the load ends.
  await state.setMediaKeys(rendered.flatMap(({ mediaKeys }) => mediaKeys));
  const file = join(folder.path, 'demo.ndjson');
  const lines = rendered.map(({ seconds }, i) =>
    JSON.stringify({ ...DEMO_TRACKS[i]!.record(clock.now()), durationSeconds: seconds }),
  );
  await writeFile(file, `${lines.join('\n')}\n`);
  const summary = await runImport({
    paths: [file],
    source: DEMO_SOURCE,
    catalog: store.catalog,
    trackMessages: store.trackMessages,
    media,
    by: DEMO_ACTOR,
    clock,
    onRejection: (rejection) => log.error({ rejection }, 'The import rejected a demo track.'),
  });
  if (summary.rejected > 0) {
    throw new Error(`the import rejected ${summary.rejected} demo tracks`);
  }
}

async function makePlaylists({ store, clock }: DemoDependencies): Promise<void> {
  for (const { id, name, description, trackNames } of DEMO_PLAYLISTS) {
    if ((await store.playlists.find(id)) === undefined) {
      const now = clock.now();
      const playlist = { id, name, description, createdAt: now, updatedAt: now };
      const trackIds = trackNames.map(
        (trackName) => DEMO_TRACKS.find((track) => track.name === trackName)!.id,
      );
      await store.playlists.create(playlist, trackIds, DEMO_ACTOR);
    }
    for (const { language, ...text } of playlistTexts({ name, description })) {
      await store.languages.translatePlaylist(id, language, text, DEMO_ACTOR);
    }
  }
}

async function translateFilters({ catalog, languages }: Store): Promise<void> {
  const names = (await catalog.filters()).flatMap(filterTranslations);
  await languages.translateFilters(names, DEMO_ACTOR);
}

/** Deletes clients of killed loads, whose secrets nobody saw, and makes new ones. */
async function makeClients(
  { store, clock }: DemoDependencies,
  state: DemoState,
): Promise<DemoClients> {
  for (const id of await clientsOfDemo(store)) {
    await store.clients.delete(id, DEMO_ACTOR);
  }
  const deps = { store, clock, by: DEMO_ACTOR };
  const plain = await createClient(deps, { name: CLIENT_NAME, scopes: ALL_SCOPES });
  await state.set('clientId', plain.clientId);
  const contract = await createClient(deps, {
    name: CONTRACT_CLIENT_NAME,
    scopes: ALL_SCOPES,
    features: FEATURES,
    rateCard: DEMO_RATE_CARD,
  });
  await state.set('contractClientId', contract.clientId);
  for (const { id, granted } of DEMO_PLAYLISTS) {
    if (!granted) continue;
    for (const { clientId } of [plain, contract]) {
      await store.playlists.grant(id, clientId, DEMO_ACTOR);
    }
  }
  const { clientId, testSecret } = contract;
  return { ...plain, contractClient: { clientId, testSecret } };
}

/**
 * Makes sales before `nowMs`, so that both modes and all periods have popular tracks: a few hits,
 * many occasional sales, another order in each mode, and some tracks without a license. `sales` says
 * how many licenses of each mode were sold in the last `days`.
 */
function demoLicenses(nowMs: number): License[] {
  return MODES.flatMap((mode) => {
    const random = seededRandom(`licenses ${mode}`);
    const ranking = DEMO_TRACKS.map(({ id }) => ({ id, place: random.next() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, Math.round(DEMO_TRACKS.length * 0.8));
    return offer.sales[mode].flatMap(({ days, count }, period) =>
      Array.from({ length: count }, (_, i): License => {
        const track = ranking[Math.floor(random.next() ** 2.2 * ranking.length)]!;
        return {
          externalId: `demo:${mode}:${period}:${i}`,
          trackId: track.id,
          mode,
          // A little short of the period's end, so that it holds for the first hours too.
          licensedAt: Math.round(nowMs - random.between(0.02, days - 0.3) * DAY_MS),
          clientId: null,
        };
      }),
    );
  });
}
