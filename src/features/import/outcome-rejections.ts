import type { TrackDelivery } from '../catalog/track.ts';
import { MAX_PARTS } from '../catalog/track-parts.ts';
import type { Item } from './item.ts';
import type { Rejection } from './rejection.ts';

type Place = Pick<Item, 'file' | 'line'>;

/** The rejection of a record whose track belongs to another source. */
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
  first: string | undefined,
  isMapped: boolean,
): Rejection {
  const field = externalId === null ? 'id' : 'externalId';
  const where = first === undefined ? '' : ` in ${first}`;
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
