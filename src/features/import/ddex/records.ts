import type { FieldProblem } from '../../../common/errors.ts';
import { BoundedMap, keptIn } from '../../../common/memory/caches.ts';
import { MAX_MESSAGE_RELEASES } from '../../catalog/track.ts';
import { canonicalIsrc, isoSeconds } from '../canonical/values.ts';
import { describe } from '../record.ts';
import { type Availability, availabilityOf } from './deals.ts';
import type { Message } from './message.ts';
import type { NamedCredit, Recording, Release } from './recording.ts';

export interface RecordingRecord {
  line: number;
  /** Undefined if nothing identifies the recording. */
  externalId: string | undefined;
  /** The ids of the releases that contain the recording, those of products first: 10 at most. */
  releases: readonly string[];
  /** The import record, not yet validated; undefined if no deal applies, so that the track is withdrawn. */
  record: Record<string, unknown> | undefined;
  files: readonly string[];
  /** What is wrong apart from what the check of the record finds. The names of fields are those of the record. */
  problems: FieldProblem[];
}

/** Makes the records of a message, in the order of its recordings. `now` decides which deals have ended. */
export function* recordsOf(message: Message, now: number): Generator<RecordingRecord> {
  const places = new Places(message, now);
  const lines = new Map<string, number>();
  for (const recording of message.recordings) {
    const releases = places.releasesOf(recording);
    const externalId = externalIdOf(recording, releases);
    const made = recordOf(recording, message, releases, places.deals(releases));
    const first = externalId === undefined ? undefined : lines.get(externalId);
    if (externalId === undefined) {
      const message = 'is missing: the recording has neither an ISRC nor a ProprietaryId';
      made.problems.push({ field: 'externalId', message });
    } else if (first !== undefined) {
      const message = `names the recording in line ${first} again`;
      made.problems.push({ field: 'externalId', message });
    } else {
      lines.set(externalId, recording.line);
    }
    const { record, problems } = made;
    yield {
      line: recording.line,
      externalId,
      releases: idsOf(releases),
      record: record === undefined ? undefined : { externalId, ...record },
      files: recording.files,
      problems,
    };
  }
}

function idsOf(releases: readonly Release[]): string[] {
  const products = releases.filter(({ isMain }) => isMain);
  const others = releases.filter(({ isMain }) => !isMain);
  return [...new Set([...products, ...others].flatMap(({ ids }) => ids))].slice(
    0,
    MAX_MESSAGE_RELEASES,
  );
}

const MAX_KNOWN = 100;

/** Which releases contain a recording, and what their deals amount to. */
class Places {
  readonly #message: Message;
  readonly #now: number;
  readonly #byResource = new Map<string, Release[]>();
  /** A short key of each release: references can be long. */
  readonly #numbers: ReadonlyMap<Release, number>;
  /** The availability by the releases that it is made of, because the tracks of an album share it. */
  readonly #known = new BoundedMap<string, { deals: ReturnType<typeof availabilityOf> }>(MAX_KNOWN);

  constructor(message: Message, now: number) {
    this.#message = message;
    this.#now = now;
    this.#numbers = new Map(message.releases.map((release, i) => [release, i]));
    for (const release of message.releases) {
      for (const resource of release.resources) {
        const releases = this.#byResource.get(resource) ?? [];
        releases.push(release);
        this.#byResource.set(resource, releases);
      }
    }
  }

  /** The releases of tracks first. A recording that no release names belongs to the only product of the message. */
  releasesOf({ reference }: Recording): readonly Release[] {
    const found = this.#byResource.get(reference);
    if (found === undefined) {
      const products = this.#message.releases.filter(({ isMain }) => isMain);
      return products.length === 1 ? products : [];
    }
    return [...found].sort((one, other) => Number(one.isMain) - Number(other.isMain));
  }

  deals(releases: readonly Release[]): ReturnType<typeof availabilityOf> {
    const key = releases.map((release) => this.#numbers.get(release)).join(' ');
    return keptIn(this.#known, key, () => {
      const { deals } = this.#message;
      const given = releases.flatMap(({ reference }) => deals.get(reference) ?? []);
      return { deals: availabilityOf(given, this.#now) };
    }).deals;
  }
}

/**
 * Identifies a recording, as the documentation says: by its ISRC, otherwise by the sender's own id, otherwise by the release
 * and the place in its message.
 */
function externalIdOf(
  { isrc, proprietaryId, reference }: Recording,
  releases: readonly Release[],
): string | undefined {
  if (isrc !== undefined) {
    return canonicalIsrc(isrc, () => {}) || isrc;
  }
  const product = releases.find(({ isMain }) => isMain) ?? releases[0];
  const [releaseId] = product?.ids ?? [];
  return (
    proprietaryId ??
    (releaseId === undefined || reference === '' ? undefined : `${releaseId} ${reference}`)
  );
}

function recordOf(
  recording: Recording,
  message: Message,
  releases: readonly Release[],
  availability: ReturnType<typeof availabilityOf>,
): { record: Record<string, unknown> | undefined; problems: FieldProblem[] } {
  const problems: FieldProblem[] = [];
  if (availability === undefined) {
    return { record: undefined, problems };
  }
  const deals: Availability | undefined = 'problem' in availability ? undefined : availability;
  if ('problem' in availability) {
    problems.push({ field: 'availability', message: `cannot be read: ${availability.problem}` });
  }
  const from = deals?.from ?? null;
  const { duration, isInstrumental } = recording;
  const durationSeconds = duration === undefined ? undefined : isoSeconds(duration);
  if (duration !== undefined && durationSeconds === undefined) {
    const rule = 'must be an ISO 8601 duration such as PT3M5S';
    problems.push({ field: 'durationSeconds', message: `${rule}; it is ${describe(duration)}` });
  }
  const genres = [recording.genres, ...releases.map((release) => release.genres)].find(
    (found) => found.length > 0,
  );
  const record = {
    name: recording.title,
    durationSeconds,
    region: deals?.region,
    releaseDate:
      releaseDateOf(recording, releases) ??
      (from === null ? undefined : new Date(from).toISOString()),
    // A recording that has no flag may have either.
    hasVocals: isInstrumental === undefined ? undefined : !isInstrumental,
    tags: [
      ...(recording.isExplicit ? ['explicit'] : []),
      ...(recording.isEdited ? ['edited for explicit content'] : []),
    ],
    isrc: recording.isrc,
    iswc: recording.iswc,
    artists: artistsOf(recording, releases, message),
    filters: genres?.map((name) => ({ type: 'genre', name })),
    previewStartSeconds: recording.previewStart,
    availability: deals?.availability,
    ...provenanceOf(recording, message),
  };
  return { record, problems };
}

/** The cover counts unless the recording is said to be made without machines. */
function provenanceOf({ ai, aiParts }: Recording, { cover }: Message) {
  const parts = [...aiParts, ...(cover?.isByMachine ? ['artwork'] : [])];
  return { ai, ...(ai !== 'none' && parts.length > 0 && { aiParts: parts }) };
}

/** Returns the date of the track's own release, otherwise of the recording, otherwise of the product. */
function releaseDateOf(recording: Recording, releases: readonly Release[]): string | undefined {
  const dates = (isMain: boolean) =>
    releases.filter((release) => release.isMain === isMain).map(({ releaseDate }) => releaseDate);
  return [...dates(false), recording.releaseDate, ...dates(true)].find(
    (date) => date !== undefined,
  );
}

/** Returns the credits of the recording, or else those of its releases. The first main artist is the primary one. */
function artistsOf(
  recording: Recording,
  releases: readonly Release[],
  { parties }: Message,
): { name: string; role: string; isPrimary: boolean; ipi?: string }[] {
  const credits = [...recording.credits];
  if (!credits.some(({ role }) => role === 'MAIN_ARTIST')) {
    credits.unshift(...mainArtistsOf([recording, ...releases]));
  }
  const artists = new Map<string, ReturnType<typeof artistsOf>[number]>();
  let hasPrimary = false;
  for (const { reference, role, ...inline } of credits) {
    const party = reference === undefined ? undefined : parties.get(reference);
    const name = inline.name ?? party?.name ?? '';
    const ipi = inline.ipi ?? party?.ipi;
    const isPrimary: boolean = !hasPrimary && role === 'MAIN_ARTIST' && name !== '';
    hasPrimary ||= isPrimary;
    const key = JSON.stringify([name, role]);
    if (!artists.has(key)) {
      artists.set(key, { name, role, isPrimary, ...(ipi !== undefined && { ipi }) });
    }
  }
  return withoutRepeatedPerformers([...artists.values()]);
}

/** The first of the parts that credits or names a main artist decides. */
function mainArtistsOf(
  parts: readonly Pick<Recording, 'credits' | 'displayArtist'>[],
): NamedCredit[] {
  for (const { credits, displayArtist } of parts) {
    const main = credits.filter(({ role }) => role === 'MAIN_ARTIST');
    if (main.length > 0) {
      return main;
    }
    if (displayArtist !== undefined) {
      return [{ reference: undefined, name: displayArtist, ipi: undefined, role: 'MAIN_ARTIST' }];
    }
  }
  return [];
}

/** ERN 4 repeats each displayed artist as a contributor with the role `Artist`. */
function withoutRepeatedPerformers<T extends { name: string; role: string }>(
  artists: readonly T[],
): T[] {
  const displayed = new Set(
    artists.filter(({ role }) => /^(MAIN|FEATURED)_ARTIST$/.test(role)).map(({ name }) => name),
  );
  return artists.filter(({ name, role }) => role !== 'PERFORMER' || !displayed.has(name));
}
