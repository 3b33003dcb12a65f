import type { Track } from '#client';
import type { Row } from '../list/source.ts';
import { session } from '../shell/session.ts';
import { outline } from './draw-waveform.ts';

/** As many as a wide screen has bars. */
const COUNT = 800;
/** Longer audio, in bytes and in seconds, is not decoded: the page would need too much memory and traffic. */
const MAX_BYTES = 30 * 1024 * 1024;
const MAX_SECONDS = 20 * 60;
/** Enough for an outline, and little memory. */
const SAMPLES_PER_SECOND = 8_000;
/** How often a waveform that is being made is asked for. */
const ATTEMPTS = 30;

/**
 * Returns the outline of a track, from 0 to 1: the waveform of the service if the client has previews, otherwise what
 * the stream contains. Undefined if the audio is too long to be decoded, or cannot be. Rejects if it cannot be loaded.
 */
export async function peaksOf(
  { track, part }: Row,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  if (part !== undefined) return decoded(part, part.url, signal);
  if (!track.hasAudio) return undefined;
  if ('waveformUrl' in track) return served(track, signal);
  return decoded(track, (await fresh(track, signal)).streamUrl, signal);
}

/** The most outlines that are kept, and that lists request at a time, so that the sound comes first. */
const [MAX_KEPT, MAX_AT_ONCE] = [500, 2];
const outlines = new Map<string, Float32Array>();
let running = 0;
const waiting: (() => void)[] = [];

/** The waveform of the service for a row of a list. */
export function outlineOfRow(track: Track, signal: AbortSignal): ReturnType<typeof served> {
  return served(track, signal, async (url, init) => {
    while (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await fetch(url, init);
    } finally {
      running--;
      waiting.shift()?.();
    }
  });
}

async function served(
  track: Track,
  signal: AbortSignal,
  request: typeof fetch = fetch,
): Promise<Float32Array | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const known = outlines.get(track.id);
    if (known !== undefined) return known;
    const { waveformUrl } = await fresh(track, signal);
    if (waveformUrl === undefined) return undefined;
    const response = await request(waveformUrl, { signal });
    if (response.ok) {
      const { data } = (await response.json()) as { data: number[] };
      const made = outline(COUNT, data.length / 2, (bin) =>
        Math.max(-data[2 * bin]!, data[2 * bin + 1]!),
      );
      outlines.set(track.id, made);
      if (outlines.size > MAX_KEPT) outlines.delete(outlines.keys().next().value!);
      return made;
    }
    if (response.status !== 503) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    signal.throwIfAborted();
  }
  return undefined;
}

async function decoded(
  { durationSeconds }: { durationSeconds: number },
  url: string,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  if (durationSeconds > MAX_SECONDS || savesData()) return undefined;
  const response = await fetch(url, { signal });
  const length = Number(response.headers.get('content-length') ?? Infinity);
  if (!response.ok || length > MAX_BYTES) {
    await response.body?.cancel();
    return undefined;
  }
  const context = new OfflineAudioContext(1, 1, SAMPLES_PER_SECOND);
  const audio = await context.decodeAudioData(await response.arrayBuffer());
  const samples = audio.getChannelData(0);
  return outline(COUNT, samples.length, (i) => Math.abs(samples[i]!));
}

/** The track with URLs that have not expired. */
async function fresh(track: Track, signal: AbortSignal): Promise<Track> {
  if (Date.parse(track.streamUrlExpiresAt) > Date.now() + 30_000) return track;
  return (await session.peek()?.stave.showTrack({ slug: track.slug }, { signal })) ?? track;
}

function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return connection?.saveData ?? false;
}
