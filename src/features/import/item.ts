import type { FieldProblem } from '../../common/errors.ts';
import type { TrackDelivery, TrackMessage } from '../catalog/track.ts';
import { MAX_PARTS } from '../catalog/track-parts.ts';
import type { AudioFacts } from './audio/read-tags.ts';
import type { Prepared } from './canonical/track.ts';
import { UnreadableError } from './decode/decoded.ts';

export interface Rejection {
  /** As named on the command line; in a folder, the path of the file itself. */
  file: string;
  /** The line from 1; in a JSON document the number of the record; null for the whole file. */
  line: number | null;
  /** The faulty member of the record, as the record names it; `""` for the whole record. */
  field: string;
  reason: string;
}

/** Returns the field of a rejection and the words of its reason before the value, which many rejections share. */
export function kindOf({ field, reason }: Pick<Rejection, 'field' | 'reason'>): string {
  return `${field} ${reason.split(/[;:"]/, 1)[0]!}`.trim();
}

export type Place = Pick<Rejection, 'file' | 'line'>;

export function rejectionOf({ file, line }: Place, problems: readonly FieldProblem[]): Rejection {
  const [first, ...others] = problems;
  const reasons = [
    first?.message ?? 'cannot be taken',
    ...others.map(({ field, message }) => `${field} ${message}`),
  ];
  return { file, line, field: first?.field ?? '', reason: reasons.join('; ') };
}

export function fileRejection(file: string, reason: string, line: number | null = null): Rejection {
  return { file, line, field: '', reason };
}

/** Makes the rejection of a file that cannot be read, or not to its end. Throws any error but UnreadableError. */
export function unreadableRejection(file: string, error: unknown): Rejection {
  if (!(error instanceof UnreadableError)) throw error;
  return fileRejection(file, error.message, error.position > 0 ? error.position : null);
}

/** The rest of a file is not read after more rejections, if these are also many times the accepted ones. */
const MAX_REJECTED = 250_000;
const MAX_REJECTED_RATIO = 10;

interface Counts {
  read: number;
  rejected: number;
}

/** Throws UnreadableError if a file gave almost nothing but rejections since `before`. */
export function refuseHopeless(before: Counts, now: Counts): void {
  const rejected = now.rejected - before.rejected;
  const taken = now.read - before.read - rejected;
  if (rejected > MAX_REJECTED && rejected > taken * MAX_REJECTED_RATIO) {
    const reason = `${rejected} records were rejected and ${taken} taken; the rest was not read`;
    throw new UnreadableError(0, reason);
  }
}

export function foreignRejection({ file, line }: Place, source = 'another one'): Rejection {
  const reason = `belongs to a track of the source ${source}; another source can deliver it once ${source} has withdrawn it`;
  return { file, line, field: 'id', reason };
}

/**
 * The rejection of a second, different record of a track. `first` is the place of the first one, if it is known.
 * `isMapped` means that a mapping reads the file.
 */
export function duplicateRejection(
  { file, line }: Place,
  { externalId }: TrackDelivery,
  first: Place | undefined,
  isMapped: boolean,
): Rejection {
  const field = externalId === null ? 'id' : 'externalId';
  const within = first === undefined || first.file === file ? '' : `${first.file}, `;
  const where = first === undefined ? '' : ` in ${within}line ${first.line}`;
  const advice = isMapped ? '; `group` of a mapping merges the rows of one track' : '';
  const reason = `names a track that this import has delivered already${where}, with other values${advice}`;
  return { file, line, field, reason };
}

/** The rejection of a record whose check found fewer parts of the track than it had when the record was written. */
export function crowdedRejection({ file, line }: Place, { stems }: TrackDelivery): Rejection {
  const field = stems === undefined ? 'versions' : 'stems';
  const reason = `must list ${MAX_PARTS} at most, stems and versions together; another import has given the track more parts meanwhile`;
  return { file, line, field, reason };
}

export interface Item {
  file: string;
  line: number | null;
  prepared: Prepared;
  /** The folder that the paths in `audio` and `artwork` are relative to. */
  folder: string;
  /** The folder that `artwork` is relative to, if that is another one. */
  artworkFolder?: string | undefined;
  picture: Uint8Array | null;
  /** What the audio is, if it was read already. */
  facts: AudioFacts | null;
}

/** What goes through the phases of an import together. */
export interface Batch {
  items?: readonly Item[];
  /** The ids of tracks that the delivery takes back. They need not exist. */
  withdrawals?: readonly string[];
  /** The message that decides about each of the tracks of the batch. */
  messages?: readonly TrackMessage[];
  /** The ids of tracks that the delivery lists and does not decide about. */
  passedOver?: readonly string[];
  rejections?: readonly Rejection[];
}

export async function* inBatches<T>(
  all: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<T[]> {
  let some: T[] = [];
  for await (const one of all) {
    some.push(one);
    if (some.length === size) {
      yield some;
      some = [];
    }
  }
  if (some.length > 0) yield some;
}
