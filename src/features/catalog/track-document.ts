import { hash } from 'node:crypto';
import type { LanguageView, Mode } from '../../common/caller.ts';
import type { TrackState } from '../availability/availability.ts';
import { shownText } from '../languages/languages.ts';
import { orderedTexts, type TrackTexts } from '../languages/translations.ts';
import type {
  DeliveredCredit,
  DeliveredFilter,
  Track,
  TrackDelivery,
  TrackDocument,
} from './track.ts';
import type { TrackFields } from './track-fields.ts';
import { DELIVERED_FIELDS, type DeliveredField } from './track-values.ts';
import { vocalsMark, vocalsOfMark } from './vocals.ts';

/** A part of every fingerprint. Increase it when stored tracks change, so that a repeated import rewrites them. */
const CONTENT_VERSION = 1;

/** The first half of a SHA-256. */
export const FINGERPRINT_BYTES = 16;

export function deliveredFields(from: Pick<Track, DeliveredField>): Pick<Track, DeliveredField> {
  const entries = DELIVERED_FIELDS.map((field) => [field, from[field]]);
  return Object.fromEntries(entries) as Pick<Track, DeliveredField>;
}

/** Where the id is in every serialized track: it is the first member. */
export const ID_AT = '{"id":"'.length;
export const ID_LENGTH = 36;

/** The memory of a document besides its text: the object, and the bookkeeping of a cache. */
const OVERHEAD_BYTES = 400;

/**
 * A document as the store returns it. It is a string and not bytes, because a Buffer for each track would cost
 * more than everything else in reading it.
 */
export class TextDocument implements TrackDocument {
  readonly id: string;
  readonly artworkKey: string | null;
  readonly streamExtension: string;
  readonly bytes: number;
  /** The JSON object of `Track`, without its closing brace. */
  readonly json: string;

  /** @param serialized the JSON object of `Track`. */
  constructor(
    serialized: string,
    { artworkKey, streamExtension }: Pick<TrackDocument, 'artworkKey' | 'streamExtension'>,
  ) {
    this.json = serialized.slice(0, -1);
    this.id = serialized.slice(ID_AT, ID_AT + ID_LENGTH);
    this.artworkKey = artworkKey;
    this.streamExtension = streamExtension;
    this.bytes = Buffer.byteLength(this.json);
  }

  write(buffer: Buffer, at: number): void {
    buffer.write(this.json, at, this.bytes, this.#isAscii ? 'latin1' : 'utf8');
  }

  /** The memory that the document occupies in a cache. */
  get memoryBytes(): number {
    // A string takes two bytes per character if one of its characters is not in Latin-1.
    return (this.#isAscii ? this.bytes : 2 * this.json.length) + OVERHEAD_BYTES;
  }

  get #isAscii(): boolean {
    return this.bytes === this.json.length;
  }
}

export function parseDocument(document: TrackDocument): Track {
  const json = Buffer.alloc(document.bytes);
  document.write(json, 0);
  return JSON.parse(`${json.toString()}}`);
}

export interface Localization {
  view: LanguageView;
  /** The language of texts that have none of their own. */
  original: string;
  texts: TrackTexts | undefined;
  filterName(filterId: string, language: string): string | undefined;
}

/**
 * Returns a document with the texts of a view: name, tags and names of filters, each in the chosen language, the next
 * shorter one that has it, or the original. It also has the members `language` and `originalName`.
 */
export function localizedDocument(
  document: TrackDocument,
  { view, original, texts, filterName }: Localization,
): TextDocument {
  const track = parseDocument(document);
  const own = texts?.language ?? original;
  const translated = new Map(texts?.texts.map((text) => [text.language, text]));
  const name = shownText(view, (language) => translated.get(language)?.name, {
    text: track.name,
    language: own,
  });
  const tags = shownText<readonly string[]>(view, (language) => translated.get(language)?.tags, {
    text: track.tags,
    language: own,
  });
  const filters = track.filters.map((filter) => ({
    ...filter,
    name: shownText(view, (language) => filterName(filter.id, language), {
      text: filter.name,
      language: original,
    }).text,
  }));
  const shown = { ...track, name: name.text, tags: tags.text, filters };
  const members = { language: name.language, originalName: track.name };
  return new TextDocument(JSON.stringify({ ...shown, ...members }), document);
}

/**
 * Returns the members that versions before them did not know; undefined if the delivery has none of them, so that its
 * fingerprint is the one that those versions stored. No other value of a fingerprint is an object. New members come
 * last, because JSON omits those that are absent.
 */
function laterMembers(delivery: TrackDelivery): object | undefined {
  const { iswc, writers, previewStart, previewKey, waveformKey, stems, versions } = delivery;
  const { language, availability, provenance } = delivery;
  const translations = delivery.translations && orderedTexts(delivery.translations);
  const known = { iswc, writers, previewStart, previewKey, waveformKey, stems, versions };
  const later = { ...known, language, translations, availability, provenance };
  return Object.values(later).every((value) => value === undefined) ? undefined : later;
}

/** A delivery as a text, and a hash of it. Both are equal for equal deliveries, whatever the order of their members. */
export interface Seal {
  /** In the form that `parseDelivery` reads. */
  text: string;
  /** 16 bytes. It distinguishes a repeated record from a changed one without making the track. */
  fingerprint: Buffer;
}

/** Takes a few microseconds. */
export function sealOf(delivery: TrackDelivery): Seal {
  const text = deliveryText(delivery);
  // A buffer for the whole hash would have memory of its own, which the garbage collector counts.
  const digest = hash('sha256', text, 'binary').slice(0, FINGERPRINT_BYTES);
  return { text, fingerprint: Buffer.from(digest, 'latin1') };
}

/** One flat list, with the number of artists in it, is serialized and parsed faster than a tree. */
function deliveryText(delivery: TrackDelivery): string {
  const values: unknown[] = [CONTENT_VERSION];
  for (const member of PLAIN_MEMBERS) {
    values.push(member === 'hasVocals' ? vocalsMark(delivery) : delivery[member]);
  }
  values.push(delivery.artists.length);
  for (const { id, name, role, isPrimary, externalId } of delivery.artists) {
    values.push(id, name, role, isPrimary, externalId);
  }
  for (const { type, name } of delivery.filters) values.push(type, name);
  const later = laterMembers(delivery);
  if (later !== undefined) values.push(later);
  return JSON.stringify(values);
}

/** The members before the lists, in the order of a `deliveryText`. */
const PLAIN_MEMBERS = [
  ...(['id', 'source', 'externalId', 'slug', 'releasedAt', 'audioKey', 'artworkKey'] as const),
  ...DELIVERED_FIELDS,
];

/** Returns the delivery of which a seal has the text. */
export function parseDelivery(text: string): TrackDelivery {
  const values = JSON.parse(text);
  const last = values.at(-1);
  const later = typeof last === 'object' && last !== null ? values.pop() : undefined;
  // A literal makes all deliveries objects of one shape, which is several times as fast as setting one member after another.
  const [, id, source, externalId, slug, releasedAt, audioKey, artworkKey] = values;
  const [name, type, bpm, songKey, timeSignature, durationSeconds] = values.slice(8, 14);
  const [region, mark, isPRO, tags, isrc, credits] = values.slice(14, 20);
  const { hasVocals, isInstrumental } = vocalsOfMark(mark);
  const artists: DeliveredCredit[] = [];
  let at = 20;
  for (const end = at + 5 * credits; at < end; at += 5) {
    const [artistId, artist, role, isPrimary, ofSupplier] = values.slice(at, at + 5);
    artists.push({ id: artistId, name: artist, role, isPrimary, externalId: ofSupplier });
  }
  const filters: DeliveredFilter[] = [];
  for (; at < values.length; at += 2) filters.push({ type: values[at], name: values[at + 1] });
  const delivery = {
    ...{ id, source, externalId, slug, releasedAt, audioKey, artworkKey, name, type, bpm, songKey },
    ...{
      timeSignature,
      durationSeconds,
      region,
      hasVocals,
      isInstrumental,
      isPRO,
      tags,
      isrc,
      artists,
    },
    filters,
  };
  return later === undefined ? delivery : { ...delivery, ...later };
}

/** A track for tests of partners' programs. It is not in the catalog. */
interface Fixture {
  state: TrackState;
  /** Null unless the state is live. */
  document: TrackDocument | null;
}

/** The id of the fixture track that is live. */
export const FIXTURE_TRACK_ID = 'f1c70000-0000-4000-8000-000000000200';

/** No track of the catalog has the slug, which is reserved. */
const TRACK: TrackFields = {
  id: FIXTURE_TRACK_ID,
  name: 'Stave Fixture',
  slug: 'stave-fixture',
  type: 'music',
  bpm: '',
  songKey: [],
  timeSignature: '',
  durationSeconds: 200,
  region: 'WORLD',
  releaseDate: '2026-01-01T00:00:00.000Z',
  hasVocals: false,
  vocals: 'unknown',
  isPRO: false,
  tags: [],
  artists: [],
  filters: [],
  isrc: '',
  audio: null,
  hasAudio: false,
  detected: [],
  provenance: { ai: 'unknown', aiParts: [], trainingAllowed: null, statement: null },
};

const DOCUMENT = new TextDocument(JSON.stringify({ ...TRACK, stream: null }), {
  artworkKey: null,
  streamExtension: '',
});

const FIXTURES: ReadonlyMap<string, Fixture> = new Map([
  [TRACK.id, { state: 'live', document: DOCUMENT }],
  ['f1c70000-0000-4000-8000-000000000410', { state: 'taken_down', document: null }],
]);

/**
 * Returns the fixture that a caller of this mode finds by an id in lower case
 * (docs/contract/http.md#fixture-tracks).
 */
export function fixtureOf(id: string, mode: Mode): Fixture | undefined {
  return mode === 'test' ? FIXTURES.get(id) : undefined;
}

/** Whether an id in lower case is that of a fixture, so that no track of the catalog may have it. */
export function isFixtureId(id: string): boolean {
  return FIXTURES.has(id);
}
