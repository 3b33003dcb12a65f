import { MAX_PARTS, PART_KINDS, type PartList } from '../../catalog/track-parts.ts';
import { describe, type ImportRecord } from '../record.ts';
import { canonicalText, MAX_NAME_LENGTH, type Report } from './text.ts';
import { canonicalDuration } from './values.ts';

/** A part as a record names it. Its audio is not read yet. */
export interface NamedPart {
  kind: string;
  name: string | null;
  /** 0 if it is to be read from the audio. */
  durationSeconds: number;
  /** A path relative to the file, or a key of the media store. */
  audio: string;
}

/** Returns the parts of a list; undefined if the record has no such list, so that the stored one stays. */
export function canonicalParts(
  given: ImportRecord[PartList],
  list: PartList,
  report: Report,
): readonly NamedPart[] | undefined {
  if (given === undefined || given === null) {
    return undefined;
  }
  if (given.length > MAX_PARTS) {
    report(list, tooManyParts(given.length));
    return undefined;
  }
  const kinds: readonly string[] = PART_KINDS[list];
  return given.map((part, i): NamedPart => {
    const field = (member: string) => `${list}[${i}].${member}`;
    const kind = part.kind?.trim() ?? '';
    if (!kinds.includes(kind)) {
      const isMissing = (part.kind ?? undefined) === undefined;
      const found = isMissing ? 'it is missing' : `it is ${describe(part.kind)}`;
      report(field('kind'), `must be one of ${kinds.join(', ')}; ${found}`);
    }
    const audio = part.audio?.trim() ?? '';
    if (audio === '') {
      report(field('audio'), 'is missing');
    }
    return {
      kind,
      name: canonicalText(part.name ?? '', field('name'), MAX_NAME_LENGTH, report) || null,
      durationSeconds: canonicalDuration(part.durationSeconds, (_, message) =>
        report(field('durationSeconds'), message),
      ),
      audio,
    };
  });
}

/** Returns what is wrong with so many parts of a track. */
export function tooManyParts(count: number): string {
  return `must list ${MAX_PARTS} at most, stems and versions together; the track would have ${count}`;
}
