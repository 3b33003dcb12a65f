import {
  type RenditionKind,
  type RenditionName,
  type RenditionState,
  renditionsOf,
} from '../../src/features/renditions/rendition.ts';
import {
  recipeOf,
  streamFile,
  streamName,
} from '../../src/features/renditions/streams/stream-name.ts';
import type { Store } from '../../src/features/store.ts';
import type { Harness } from '../harness/stores.ts';

export const MINUTE = 60_000;

export const audioKey = (n: number, extension = 'mp3') =>
  `${String(n).padStart(64, '0')}.${extension}`;
/** What is made of an audio file. */
export const namesOf = (key: string, previewStart: number | null = null) =>
  renditionsOf({ audioKey: key, previewStart, previewKey: null, waveformKey: null });
export const nameOf = (key: string, kind: RenditionKind, variant = ''): RenditionName => {
  return { audioKey: key, kind, variant };
};
export const fileOf = (n: number) => ({ mediaKey: audioKey(1_000 + n, 'dat'), sizeBytes: n });

/** The states of the renditions of an audio file. */
export async function statesOf(store: Store, key: string): Promise<RenditionState[]> {
  return (await store.renditions.ofAudio(key)).map(({ state }) => state);
}

/** Claims for a minute. */
export const claim = (store: Store, holder = 'a', formats = ['mp3', 'flac']) =>
  store.renditionClaims.claim(holder, formats, MINUTE);

/** Waits until the clock of the store shows another time. A server uses its own clock, which the test cannot advance. */
export async function tick({ clock }: Pick<Harness, 'clock'>): Promise<void> {
  clock.advance(1);
  await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Claims what expires at once, and waits until it has expired. */
export async function claimAndDie({ store, clock }: Harness, holder: string) {
  const claimed = (await store.renditionClaims.claim(holder, ['mp3'], 1))!;
  await tick({ clock });
  return claimed;
}

/** Calls every method of the stores of renditions, so that their statements are prepared. */
export async function useRenditions(
  { renditions, renditionClaims }: Store,
  trackId: string,
): Promise<void> {
  const key = audioKey(1);
  const names = namesOf(key, 1);
  await renditions.add(names);
  await renditions.request(names);
  await renditions.find(names[0]!);
  await renditions.ofAudio(key);
  await renditions.soundsOf([trackId]);
  await renditions.silentAudio([trackId]);
  await renditions.soundsAfter(0, 1);
  await renditions.counts();
  await renditions.unmade();
  await renditions.queuedFormats();
  const claimed = async () => (await renditionClaims.claim('node 0', ['mp3'], MINUTE))!;
  await renditionClaims.postpone(await claimed(), 'the bucket is away', 0);
  await renditionClaims.postpone(await claimed(), 'the file is missing', MINUTE);
  await renditions.endPauses();
  await renditionClaims.release(await claimed(), 'mp3');
  await renditionClaims.fail(await claimed(), 'it took too long', true);
  const last = await claimed();
  await renditionClaims.renew(last, MINUTE);
  const file = { mediaKey: key, sizeBytes: 1 };
  await renditionClaims.finish(
    last,
    last.names.map(() => file),
  );
  await renditions.madeAfter(undefined, 9);
  await renditions.remake(names);
  await renditionClaims.fail(await claimed(), 'it is damaged', false);
  await renditions.requeueFailed();
  await renditions.dropQueued([key]);
  await renditions.dropUnnamed();
  await renditions.dropUnnamedOf([key]);
  await renditionClaims.see({ node: 'node', formats: ['mp3'] });
  await renditions.nodes();
  await renditionClaims.leave('node');
}

/** As `useRenditions`, for what only streams have. */
export async function useStreams({ streams }: Store, trackId: string): Promise<void> {
  const recipe = recipeOf(
    { audioKey: audioKey(1), sampleRate: null, samples: null },
    { format: 'mp3', kbps: 192 },
  );
  const name = streamName(audioKey(1), recipe);
  await streams.request([name]);
  await streams.refuse(name, 'it is damaged');
  await streams.keep(name, { mediaKey: streamFile(name), sizeBytes: 1 });
  await streams.use(name);
  await streams.known(name);
  for (const one of await streams.leastUsed(1)) await streams.forget(one);
  await streams.unnamed('', 1);
  await streams.forgetFailed();
  await streams.streamedTracks([trackId]);
  await streams.streamedBefore(undefined, 1);
}
