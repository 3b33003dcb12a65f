import { type RawBuilder, sql } from 'kysely';
import { ANALYSIS_VERSION } from '../../../engines/audio/sound/sound-analysis.ts';
import type { AiShare, IndexEntry } from '../../../engines/search/catalog-index.ts';
import type { SqlDialect } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { TrackType } from '../track.ts';
import type { References, StoredCredit } from './references.ts';
import { SHOWN_AI, SHOWN_TRAINING } from './shown-provenance.ts';

/** What an index entry needs of a track. Lists are JSON texts. */
export interface EntryRow {
  rowId: number;
  id: string;
  name: string;
  type: TrackType;
  hasVocals: boolean;
  isInstrumental: boolean;
  /** SQLite returns 0 or 1. */
  hasAudio: boolean | number;
  releasedAt: number;
  durationSeconds: number;
  bpm: string;
  songKeys: string;
  isrc: string;
  tags: string;
  artists: string;
  filters: string;
  region: string;
  /** A JSON array of the name and the tags in each language; null if there is none. */
  texts: string | null;
  availableIn: string | null;
  /** Of the present version of the analysis; null if there is none. */
  sound: Uint8Array | null;
  /** Both are null if they are unknown. */
  ai: AiShare | null;
  trainingAllowed: boolean | number | null;
}

export function entryColumns({ jsonRows }: SqlDialect): RawBuilder<unknown> {
  return sql`row_id, id, name, type, has_vocals, is_instrumental, audio_key IS NOT NULL AS has_audio, released_at, duration_seconds, bpm, song_keys, isrc,
    tags, artists, filters, region, available_in,
    ${sql.raw(`${SHOWN_AI} AS ai, ${SHOWN_TRAINING} AS training_allowed`)},
    (SELECT ${jsonRows(sql.raw('name, tags'))} FROM track_texts WHERE track_row_id = tracks.row_id
     HAVING count(*) > 0) AS texts,
    (SELECT vector FROM sounds WHERE sounds.audio_key = tracks.audio_key AND version = ${sql.lit(ANALYSIS_VERSION)})
      AS sound`;
}

/** Makes index entries of rows. Tracks with equal lists share one list. */
export class EntryMaker {
  readonly #references: References;
  readonly #filterLists = new SharedLists();
  readonly #artistLists = new SharedLists();
  readonly #textLists = new SharedLists();

  constructor(references: References) {
    this.#references = references;
  }

  entry(row: EntryRow): IndexEntry {
    // A spread takes as long as reading a column, so only what few tracks have is added later.
    const entry: IndexEntry = {
      rowId: row.rowId,
      id: row.id,
      name: row.name,
      type: row.type,
      hasVocals: row.hasVocals,
      isInstrumental: row.isInstrumental,
      hasAudio: Boolean(row.hasAudio),
      releasedAt: row.releasedAt,
      durationSeconds: row.durationSeconds,
      isrc: row.isrc,
      region: row.region,
      bpm: Number(row.bpm),
      songKeys: this.#textLists.of(row.songKeys, parseStored),
      tags: this.#textLists.of(row.tags, parseStored),
      artists: this.#artistLists.of(row.artists, this.#namesOf),
      filterIds: this.#filterLists.of(row.filters, this.#idsOf),
    };
    if (row.texts !== null) Object.assign(entry, translationsOf(row.texts));
    if (row.availableIn !== null) entry.availableIn = row.availableIn;
    if (row.sound !== null) entry.sound = row.sound;
    if (row.ai !== null) entry.ai = row.ai;
    if (row.trainingAllowed !== null) entry.trainingAllowed = Boolean(row.trainingAllowed);
    return entry;
  }

  /** A name counts once, however many credits have it. Primary artists come first. */
  readonly #namesOf = (json: string): string[] => {
    const stored = parseStored<StoredCredit[]>(json);
    const credits = stored.some(([, , isPrimary]) => isPrimary)
      ? stored.toSorted(([, , one], [, , other]) => Number(other) - Number(one))
      : stored;
    return [...new Set(credits.map(([rowId]) => this.#references.artist(rowId).name))];
  };

  readonly #idsOf = (json: string): string[] =>
    parseStored<number[]>(json).map((rowId) => this.#references.filter(rowId).id);
}

function translationsOf(texts: string): Pick<IndexEntry, 'aliases' | 'aliasTags'> {
  const translations = parseStored<[name: string, tags: string | null][]>(texts);
  const tags = translations.flatMap(([, list]) =>
    list === null ? [] : parseStored<string[]>(list),
  );
  return {
    aliases: [...new Set(translations.map(([name]) => name))],
    ...(tags.length > 0 && { aliasTags: [...new Set(tags)] }),
  };
}

/** The most lists in memory, and the most characters of their texts: a few megabytes, with lists of any length. */
const MAX_LISTS = 10_000;
const MAX_CHARACTERS = 2_000_000;

/** Gives equal texts one shared list. Forgets all lists when there are too many. */
export class SharedLists {
  readonly #lists = new Map<string, readonly string[]>();
  #characters = 0;

  /** The list of a text, parsed if it is not in memory. */
  of(text: string, read: (text: string) => readonly string[]): readonly string[] {
    let list = this.#lists.get(text);
    if (list === undefined) {
      list = read(text);
      if (this.#lists.size === MAX_LISTS || this.#characters + text.length > MAX_CHARACTERS) {
        this.#lists.clear();
        this.#characters = 0;
      }
      this.#lists.set(text, list);
      this.#characters += text.length;
    }
    return list;
  }
}
