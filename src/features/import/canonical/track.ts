import type { FieldProblem } from '../../../common/errors.ts';
import { derivedId, isUuid } from '../../../common/ids.ts';
import { isObject } from '../../../common/text/json.ts';
import { isSlug } from '../../../common/text/slug.ts';
import type { TrackDelivery, TrackType } from '../../catalog/track.ts';
import { isFixtureId, type Seal } from '../../catalog/track-document.ts';
import { hasExcessShares } from '../../catalog/writers.ts';
import { describe, type ImportRecord, isImportRecord, recordProblems } from '../record.ts';
import { canonicalExternalId, canonicalWriters, creditMaker, isNameless } from './credits.ts';
import {
  canonicalAvailability,
  canonicalFilters,
  canonicalLanguageOf,
  canonicalParts,
  canonicalTranslations,
  MAX_TAGS,
  type NamedPart,
} from './lists.ts';
import { canonicalProvenance } from './provenance.ts';
import { canonicalName, canonicalWords, type Report, trimmed } from './text.ts';
import {
  canonicalBpm,
  canonicalDuration,
  canonicalIsrc,
  canonicalIswc,
  canonicalPreviewStart,
  canonicalRegion,
  canonicalReleaseDate,
  canonicalSongKeys,
  canonicalTimeSignature,
} from './values.ts';

/** The result for one record: a delivery with the files that it names, or its problems. */
export type Prepared =
  | {
      delivery: TrackDelivery;
      /** Of the delivery; absent if it may still change. */
      seal?: Seal;
      audio: string | null;
      artwork: string | null;
      preview: string | null;
      waveform: string | null;
      stems: readonly NamedPart[] | null;
      versions: readonly NamedPart[] | null;
      namelessCredits: number;
      /** Whether the shares of the writers, or those of the publishers, add up to more than 100 %. */
      hasExcessShares: boolean;
      problems: null;
    }
  | {
      delivery: null;
      /** The id of the track if the record shows it; a prune needs it. */
      id: string | null;
      problems: readonly FieldProblem[];
    };

export interface TrackMakerOptions {
  source: string;
  type?: TrackType | undefined;
}

/**
 * Returns a function that validates import records and makes them canonical
 * (docs/contract/tracks.md), with derived ids (docs/contract/import.md#identifiers). Reports all
 * problems of a record together. About 10 µs per record.
 */
export function trackMaker({ source, type }: TrackMakerOptions): (value: unknown) => Prepared {
  const creditsOf = creditMaker(source);

  return (value) => {
    const typed = type === undefined ? value : withType(value, type);
    const { namelessCredits, whole } = withoutNameless(typed);
    let given: ImportRecord;
    let faults: readonly FieldProblem[] | undefined;
    if (isImportRecord(whole)) {
      given = whole;
    } else {
      faults = recordProblems(whole);
      if (!isObject(whole)) {
        return { delivery: null, id: null, problems: faults };
      }
      given = withoutFaulty(whole, faults);
    }
    let problems = faults;
    const report: Report = (field, message) => {
      if (!faults?.some((fault) => fault.field === field)) {
        problems = [...(problems ?? []), { field, message }];
      }
    };
    const externalId = canonicalExternalId(given.externalId, 'externalId', report);
    const delivery: TrackDelivery = {
      id: canonicalId(given.id, source, externalId, report),
      source,
      externalId,
      name: canonicalName(given.name, 'name', report),
      slug: canonicalSlug(given.slug, report),
      type: given.type,
      bpm: canonicalBpm(given.bpm, report),
      songKey: canonicalSongKeys(given.songKey, report),
      timeSignature: canonicalTimeSignature(given.timeSignature, report),
      durationSeconds: canonicalDuration(given.durationSeconds, report),
      region: canonicalRegion(given.region, report),
      releasedAt: canonicalReleaseDate(given.releaseDate, report),
      hasVocals: given.hasVocals === true,
      isPRO: given.isPRO === true,
      tags: given.tags ? canonicalWords(given.tags, 'tags', MAX_TAGS, report) : [],
      isrc: canonicalIsrc(given.isrc, report),
      artists: creditsOf(given.artists, report),
      filters: canonicalFilters(given.filters, report),
      audioKey: null,
      artworkKey: null,
      isInstrumental: given.hasVocals === false,
    };
    setOptional(delivery, given, report);
    const stems = given.stems ? canonicalParts(given.stems, 'stems', report) : null;
    const versions = given.versions ? canonicalParts(given.versions, 'versions', report) : null;
    const { writers } = delivery;
    if (problems !== undefined) {
      return { delivery: null, id: idOf(whole, source), problems };
    }
    return {
      delivery,
      audio: trimmed(given.audio ?? '') || null,
      artwork: trimmed(given.artwork ?? '') || null,
      preview: trimmed(given.preview ?? '') || null,
      waveform: trimmed(given.waveform ?? '') || null,
      ...{ stems, versions, namelessCredits },
      hasExcessShares: writers !== undefined && hasExcessShares(writers),
      problems: null,
    };
  };
}

/** Sets the members that are absent if what is stored stays. An empty text removes it. */
function setOptional(delivery: TrackDelivery, given: ImportRecord, report: Report): void {
  const set = <Member extends keyof TrackDelivery, Given>(
    member: Member,
    value: Given,
    canonical: (value: NonNullable<Given>, report: Report) => TrackDelivery[Member] | undefined,
  ) => {
    if (value === undefined || value === null) return;
    const made = canonical(value, report);
    if (made !== undefined) delivery[member] = made;
  };
  set('iswc', given.iswc, canonicalIswc);
  set('writers', given.artists, canonicalWriters);
  set('language', given.language, canonicalLanguageOf);
  set('translations', given.translations, canonicalTranslations);
  set('availability', given.availability, canonicalAvailability);
  const provenance = canonicalProvenance(given, report);
  if (provenance !== undefined) delivery.provenance = provenance;
  set('previewStart', given.previewStartSeconds, canonicalPreviewStart);
  const isEmpty = (text: unknown) => typeof text === 'string' && trimmed(text) === '';
  if (isEmpty(given.preview)) delivery.previewKey = null;
  if (isEmpty(given.waveform)) delivery.waveformKey = null;
}

/** Returns the record with placeholders for faulty members, so that the others are checked too. */
function withoutFaulty(value: object, faults: readonly FieldProblem[]): ImportRecord {
  const absent = { name: 'unnamed', type: 'music' as const };
  const fields = faults.map(({ field }) => field);
  const sound = Object.entries(value).filter(([member]) => !fields.includes(member));
  return { ...absent, ...Object.fromEntries(sound) };
}

function withoutNameless(record: unknown): { namelessCredits: number; whole: unknown } {
  const artists: unknown = isObject(record) ? Reflect.get(record, 'artists') : undefined;
  if (!Array.isArray(artists) || !artists.some(isNameless)) {
    return { namelessCredits: 0, whole: record };
  }
  const named = artists.filter((credit) => !isNameless(credit));
  const namelessCredits = artists.length - named.length;
  return { namelessCredits, whole: { ...(record as object), artists: named } };
}

function withType(value: unknown, type: TrackType): unknown {
  const lacks = isObject(value) && ((value as { type?: unknown }).type ?? '') === '';
  return lacks ? { ...value, type } : value;
}

function canonicalId(
  given: string | null | undefined,
  source: string,
  externalId: string | null,
  report: Report,
): string {
  const id = trimmed(given ?? '');
  if (id !== '') {
    if (!isUuid(id)) {
      report('id', `must be a UUID; it is ${describe(given)}`);
    }
    if (isFixtureId(id.toLowerCase())) {
      report('id', `must not be ${describe(id)}, which is the id of a track for tests of partners`);
    }
    return id.toLowerCase();
  }
  if (externalId === null) {
    report('externalId', 'is missing, and so is id; a track needs one of them');
    return '';
  }
  return derivedId('track', source, externalId);
}

function idOf(value: unknown, source: string): string | null {
  if (!isObject(value)) return null;
  const { id, externalId } = value as { id?: unknown; externalId?: unknown };
  if (typeof id === 'string' && trimmed(id) !== '') {
    return isUuid(trimmed(id)) ? trimmed(id).toLowerCase() : null;
  }
  if (typeof externalId !== 'string' && typeof externalId !== 'number') {
    return null;
  }
  const text = canonicalExternalId(externalId, 'externalId', () => {});
  return text === null ? null : derivedId('track', source, text);
}

/** Accepts a reserved slug, because the store adds a number to it, as to a slug that is taken. */
function canonicalSlug(given: string | null | undefined, report: Report): string | null {
  const slug = trimmed(given ?? '');
  if (slug !== '' && !isSlug(slug)) {
    report(
      'slug',
      `must be lower-case ASCII words joined by hyphens and not have the form of a UUID; it is ${describe(given)}`,
    );
  }
  return slug || null;
}
