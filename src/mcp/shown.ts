import type { Static } from 'typebox';
import type { Track, Warning } from '#client';
import type { LISTED_TRACK } from './outputs.ts';

/** The members of a track that lists show. */
export type ShownTrack = Static<typeof LISTED_TRACK>;

export function shownTrack(track: Track): ShownTrack {
  return {
    slug: track.slug,
    id: track.id,
    name: track.name,
    artists: track.artists.map(({ name }) => name),
    type: track.type,
    bpm: track.bpm,
    songKey: track.songKey,
    durationSeconds: track.durationSeconds,
    hasVocals: track.hasVocals,
    releaseDate: track.releaseDate,
    filters: track.filters.map(({ slug }) => slug),
  };
}

/** Describes a track in one line. */
export function lineOf({ slug, name, artists, bpm, durationSeconds, hasVocals }: ShownTrack) {
  const parts = [
    artists.slice(0, 3).join(', '),
    bpm === '' ? '' : `${bpm} bpm`,
    durationSeconds === 0 ? '' : shownDuration(durationSeconds),
    hasVocals ? 'vocals' : 'no vocals',
  ];
  return `${name} [${slug}] ${parts.filter((part) => part !== '').join(' · ')}`;
}

/** Describes a list: its size, its warnings, and one line for each record. */
export function textOf(
  summary: string,
  lines: readonly string[],
  warnings: readonly Warning[] = [],
): string {
  return [summary, ...warnings.map(({ message }) => `Warning: ${message}`), ...lines].join('\n');
}

/** Describes the place of a page in its list. */
export function pageSummary(
  what: string,
  page: { totalRecords: number; currentPage: number; totalPages: number },
): string {
  return `${page.totalRecords} ${what}, page ${page.currentPage} of ${page.totalPages}`;
}

function shownDuration(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
