import { hash } from 'node:crypto';
import { type FieldProblem, StaveError } from '../../../common/errors.ts';
import type { TrackRecord } from '../../catalog/catalog-stores.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import {
  type DeliveredPart,
  identifiedParts,
  MAX_PARTS,
  PART_LISTS,
  type PartList,
  type PartsByList,
} from '../../catalog/track-parts.ts';
import { FileProblem } from '../audio/file-problem.ts';
import { type NamedPart, tooManyParts } from '../canonical/lists.ts';
import { roundedDuration } from '../canonical/values.ts';
import type { Item, Place } from '../item.ts';
import type { Found } from './file-finder.ts';
import {
  extensionOfFound,
  type MediaContext,
  noteAudio,
  problemWith,
  refuseOtherKey,
  storedForm,
  withPath,
} from './found-file.ts';

type CheckedPart = Omit<DeliveredPart, 'audioKey' | 'sizeBytes'> & {
  found: Found;
  /** That of its content. */
  extension?: string;
};

export interface CheckedParts {
  problems: readonly FieldProblem[];
  /** Stores the audio, and sets the parts of the delivery. Call it only if the record has no problem. */
  store(delivery: TrackDelivery): Promise<void>;
}

/** Checks the stems and versions of an item, all of them, so that their problems are reported together. */
export async function checkParts(item: Item, context: MediaContext): Promise<CheckedParts> {
  const { prepared } = item;
  if (prepared.delivery === null || !namesParts(prepared)) {
    return { problems: [], store: async () => {} };
  }
  const found = await context.catalog.trackParts(prepared.delivery.id);
  const stored = found?.parts ?? { stems: [], versions: [] };
  const counts = PART_LISTS.map((list) => (prepared[list] ?? stored[list]).length);
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (count > MAX_PARTS) {
    const field = prepared.stems === null ? 'versions' : 'stems';
    return { problems: [{ field, message: tooManyParts(count) }], store: async () => {} };
  }
  const problems: FieldProblem[] = [];
  const lists = new Map<PartList, CheckedPart[]>();
  for (const list of PART_LISTS) {
    const parts = prepared[list];
    if (parts === null) continue;
    lists.set(list, await checkedList(item, { list, parts, stored }, context, problems));
  }
  return {
    problems,
    store: async (delivery) => {
      for (const [list, parts] of lists) {
        delivery[list] = await deliveredParts(parts, context);
      }
    },
  };
}

/** Checks the parts of a list. One whose file is missing stays as it is stored, and so do the places of those after it. */
async function checkedList(
  item: Item,
  { list, parts, stored }: { list: PartList; parts: readonly NamedPart[]; stored: PartsByList },
  context: MediaContext,
  problems: FieldProblem[],
): Promise<CheckedPart[]> {
  const checked: CheckedPart[] = [];
  const counts = new Map<string, number>();
  let isGap = false;
  for (const [i, part] of identifiedParts(item.prepared.delivery!.id, list, parts).entries()) {
    const field = `${list}[${i}].audio`;
    const ordinal = (counts.get(part.kind) ?? 0) + 1;
    counts.set(part.kind, ordinal);
    const add = (one: CheckedPart) => checked.push(isGap ? { ...one, ordinal } : one);
    const found = await context.files.find(item.folder, part.audio);
    if ('problem' in found && found.isMissing && !context.strictFiles) {
      context.notes.add('missing', item, `${field} ${found.problem}; what is stored stays`);
      const left = stored[list].find(({ id }) => id === part.id);
      if (left === undefined) isGap = true;
      else add({ ...left, found: { key: left.audioKey, sizeBytes: left.sizeBytes } });
      continue;
    }
    const take = async (file: Found) => {
      add(await checkedPart(part, file, { place: item, field, stored }, context));
    };
    const message = 'problem' in found ? found.problem : await problemWith(found, take);
    if (message !== null) problems.push({ field, message });
  }
  return checked;
}

/** Returns the part with its file. Throws FileProblem if that is no audio. */
async function checkedPart(
  { kind, name, durationSeconds, audio }: NamedPart,
  found: Found,
  { stored, ...named }: { place: Place; field: string; stored: PartsByList },
  { media, tagReader, notes }: MediaContext,
): Promise<CheckedPart> {
  if ('key' in found) refuseOtherKey(found.key);
  // What the track has already was read when it was stored.
  const isStored =
    'key' in found &&
    [...stored.stems, ...stored.versions].some(({ audioKey }) => audioKey === found.key);
  if (durationSeconds > 0 && isStored) return { kind, name, durationSeconds, found };
  const path = 'key' in found ? media.localPath?.(found.key) : undefined;
  const readable = path === undefined ? found : { path, sizeBytes: found.sizeBytes };
  const { facts } = await unlessLost('names a file that the media store has lost', () =>
    withPath(readable, media, (file) => tagReader.read(file)),
  );
  noteAudio(facts, { ...named, name: audio, expectedSeconds: durationSeconds }, notes);
  const seconds = durationSeconds || roundedDuration(facts.durationSeconds);
  return { kind, name, durationSeconds: seconds, found, extension: facts.extension };
}

async function deliveredParts(
  parts: readonly CheckedPart[],
  { media }: MediaContext,
): Promise<DeliveredPart[]> {
  const delivered: DeliveredPart[] = [];
  for (const { found, extension = '', kind, name, durationSeconds, ordinal = null } of parts) {
    // The file may have been replaced since it was checked, so its length is that of the stored copy.
    const { key: audioKey, sizeBytes } =
      'key' in found ? found : await media.putFile(found.path, extension);
    delivered.push({ kind, name, durationSeconds, audioKey, sizeBytes, ordinal });
  }
  return delivered;
}

/** Throws FileProblem with this message if the media store has lost what `read` reads. */
function unlessLost<T>(message: string, read: () => Promise<T>): Promise<T> {
  return read().catch((error: unknown) => {
    const isLost = error instanceof StaveError && error.kind === 'not_found';
    throw isLost ? new FileProblem(message) : error;
  });
}

export function namesParts(given: Record<PartList, readonly NamedPart[] | null>): boolean {
  return given.stems !== null || given.versions !== null;
}

/** 60 s of MP3 have 2.4 MB at most, and the rest is a picture. A waveform of this size is one of hours of audio. */
const MAX_MIB = 8;
const TOLERANCE_SECONDS = 1;

interface PreviewedTrack {
  /** The key of its audio is set already. */
  delivery: TrackDelivery;
  stored: TrackRecord | undefined;
  /** The audio that the item names; undefined if it names none. */
  audio: Found | 'faulty' | undefined;
}

/** Checks and stores a preview clip, and sets its key. Throws FileProblem. */
export async function attachPreview(
  found: Found,
  { delivery, stored }: PreviewedTrack,
  { media, tagReader }: MediaContext,
): Promise<void> {
  refuseLarge(found);
  if (extensionOfFound(found) !== 'mp3') throw new FileProblem('must be an MP3 file (mp3)');
  delivery.previewKey = await withPath(found, media, async (path) => {
    // What the track has already was checked when it was stored.
    if (stored?.previewKey !== (await storedForm(path, 'mp3')).key)
      await tagReader.read(path, 'clip');
    return (await media.putFile(path, 'mp3')).key;
  });
}

/** Checks and stores a waveform, and sets its key. Throws FileProblem. */
export async function attachWaveform(
  found: Found,
  { delivery, stored, audio }: PreviewedTrack,
  context: MediaContext,
): Promise<void> {
  refuseLarge(found);
  const { media, tagReader } = context;
  const form = extensionOfFound(found);
  if (form !== 'dat' && form !== 'json') {
    throw new FileProblem('must be audiowaveform data (dat, json)');
  }
  const { dat, durationSeconds, secondsPerPixel } = await withPath(found, media, (path) =>
    tagReader.read(path, `waveform.${form}`),
  );
  const isSame = stored?.waveformKey === `${hash('sha256', dat)}.dat`;
  const isSameAudio = delivery.audioKey === null || delivery.audioKey === stored?.audioKey;
  // The waveform and the audio that the track has already were compared when they were stored.
  if (audio !== 'faulty' && !(isSame && isSameAudio)) {
    const seconds = await secondsOfAudio(audio, stored, context);
    // The last pixel may show less audio than the others, or be left out if it would.
    if (Math.abs(durationSeconds - seconds) > TOLERANCE_SECONDS + secondsPerPixel) {
      throw new FileProblem(
        `must be as long as the audio within ${TOLERANCE_SECONDS} s and one pixel; it has ${durationSeconds.toFixed(1)} s, the audio ${seconds.toFixed(1)} s`,
      );
    }
  }
  delivery.waveformKey = (await media.putBytes(dat, 'dat')).key;
}

function refuseLarge({ sizeBytes }: Found): void {
  if (sizeBytes > MAX_MIB * 1024 * 1024) throw new FileProblem(`must be ${MAX_MIB} MiB at most`);
}

/** The length of the audio that the item names, otherwise of the stored one. Throws FileProblem if it is unknown. */
async function secondsOfAudio(
  audio: Found | undefined,
  stored: TrackRecord | undefined,
  { media, tagReader }: MediaContext,
): Promise<number> {
  const key = stored?.audioKey ?? null;
  const found = audio ?? (key === null ? undefined : { key, sizeBytes: 0 });
  if (found === undefined) {
    throw new FileProblem('needs audio of the same length, and the track has none');
  }
  const { durationSeconds } = await unlessLost(
    'needs the audio, which the media store has lost',
    () => withPath(found, media, (path) => tagReader.read(path)),
  );
  if (durationSeconds === 0) {
    throw new FileProblem('cannot be compared with the audio, whose length is unknown');
  }
  return durationSeconds;
}
