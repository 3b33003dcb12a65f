import { readFileSync } from 'node:fs';
import { fold } from '../../src/common/text/search-form.ts';

/**
 * `briefs.txt`, and scenes by other authors, who did not know the rules. Those of `held-out.txt` are all held out of tuning, of
 * the other lists every second one.
 */
export const LISTS = ['briefs', 'independent', 'held-out'] as const;

/** A brief, and what a music consultant would accept (briefs.txt). All names are folded. */
export interface ExpectedBrief {
  list: (typeof LISTS)[number];
  text: string;
  language: string;
  kind: 'words' | 'scenes';
  /** Whether it is held out of tuning. */
  isHeldOut: boolean;
  /** Of each list, a track has at least one. */
  accepted: string[][];
  rejected: string[];
  bpm?: [min: number, max: number];
  /** In seconds. */
  length?: [min: number, max: number];
  artist?: string;
}

/** What a brief is compared with. */
export interface FoundTrack {
  filters: readonly { name: string }[];
  tags: readonly string[];
  artists: readonly { name: string }[];
  bpm: number;
  durationSeconds: number;
}

/** Throws for a line in no known form. */
export function readBriefs(list: ExpectedBrief['list'] = 'briefs'): ExpectedBrief[] {
  const briefs: ExpectedBrief[] = [];
  let heading: Pick<ExpectedBrief, 'language' | 'kind'> | undefined;
  let number = 0;
  const lines = readFileSync(new URL(`${list}.txt`, import.meta.url), 'utf8').split('\n');
  for (const line of lines) {
    if (line === '' || line.startsWith('#')) continue;
    const named = /^== (\w+) (words|scenes)$/.exec(line);
    if (named !== null) {
      heading = { language: named[1]!, kind: named[2] as ExpectedBrief['kind'] };
      number = 0;
      continue;
    }
    if (heading === undefined) throw new Error(`before the first heading: ${line}`);
    const brief = briefs.at(-1);
    if (brief === undefined || !addTo(brief, line)) {
      const isHeldOut = number++ % 2 === 1 || list === 'held-out';
      briefs.push({ list, text: line, ...heading, isHeldOut, accepted: [], rejected: [] });
    }
  }
  return briefs;
}

/** Returns whether the line says what is accepted. */
function addTo(brief: ExpectedBrief, line: string): boolean {
  const [, kind, value = ''] = /^(\+|-|bpm|length|artist) (.*)$/.exec(line) ?? [];
  const names = value.split('; ').map((name) => fold(name));
  const [min = 0, max = 0] = value.split(' ').map(Number);
  if (kind === '+') brief.accepted.push(names);
  else if (kind === '-') brief.rejected.push(...names);
  else if (kind === 'artist') brief.artist = fold(value);
  else if (kind === 'bpm' || kind === 'length') brief[kind] = [min, max];
  else return false;
  return true;
}

export function isAccepted(brief: ExpectedBrief, track: FoundTrack): boolean {
  const { accepted, rejected, bpm, length, artist } = brief;
  const names = new Set(
    [...track.filters.map(({ name }) => name), ...track.tags].map((name) => fold(name)),
  );
  const isIn = (value: number, range: [number, number] | undefined) =>
    range === undefined || (value >= range[0] && value <= range[1]);
  return (
    accepted.every((list) => list.some((name) => names.has(name))) &&
    !rejected.some((name) => names.has(name)) &&
    isIn(track.bpm, bpm) &&
    isIn(track.durationSeconds, length) &&
    (artist === undefined || track.artists.some(({ name }) => fold(name).includes(artist)))
  );
}
