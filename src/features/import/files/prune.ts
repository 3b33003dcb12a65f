import { counted } from '../../../common/text/counted.ts';

/**
 * A prune may withdraw one in this many live tracks without a limit given: a delivery that lacks
 * more is rarely complete.
 */
const UNQUESTIONED = 5;

/**
 * Returns why a prune may not withdraw this many tracks of a source, as the end of a sentence;
 * undefined if it may. `live` is the number of its live tracks before the import.
 */
export function pruneRefusal({
  source,
  absent,
  live,
  limit,
}: {
  source: string;
  absent: number;
  live: number;
  limit: number | undefined;
}): string | undefined {
  const isWithin = limit === undefined ? absent * UNQUESTIONED <= live : absent <= limit;
  if (isWithin) {
    return undefined;
  }
  const bound = limit === undefined ? 'a fifth' : `--prune-limit ${limit}`;
  return `${absent} of the ${counted(live, 'live track')} of ${source}, more than ${bound}; if that is right, import again with --prune-limit ${absent}`;
}
