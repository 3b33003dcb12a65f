import { seededRandom } from '../../src/common/seeded-random.ts';
import { dropPageCache } from '../page-cache.ts';
import { coldQueries, hotPool, hotQueries, QueryStream } from '../queries/mix.ts';
import { pathOf } from '../queries/query.ts';
import { shuffled, type Vocabulary } from '../queries/vocabulary.ts';
import type { Mix } from './throughput.ts';

/** The number of requests that are sent in turn: many more than there are different queries. */
const HOT_DRAWS = 30_000;

/** The name of the mix that contains hostile queries. */
export const HOSTILE_MIX = '99 % cold, 1 % hostile';

/** A mix of 2,000 different queries that repeat by Zipf's law. */
export function hotMix(vocabulary: Vocabulary): Mix {
  const paths = hotQueries(hotPool(vocabulary, 'hot'), HOT_DRAWS, 'hot').map(pathOf);
  return { name: 'hot', paths: () => paths, once: false };
}

/** A mix in which no query repeats in any round. A round has at most `perRound` queries. */
export function coldMix(vocabulary: Vocabulary, perRound: number, rounds: number): Mix {
  return newQueries('cold', new QueryStream('mix', vocabulary, 'cold'), perRound, rounds);
}

/** The cold mix on files that are not in memory at the beginning of each round. */
export function coldReadsMix(
  vocabulary: Vocabulary,
  { folder, perRound, rounds }: { folder: string; perRound: number; rounds: number },
): Mix {
  const mix = newQueries(
    'cold reads',
    new QueryStream('mix', vocabulary, 'cold reads'),
    perRound,
    rounds,
  );
  return { ...mix, prepare: () => dropPageCache(folder) };
}

/** The cold mix, with one hostile query in a hundred. */
export function hostileMix(vocabulary: Vocabulary, perRound: number, rounds: number): Mix {
  const stream = new QueryStream('hostile mix', vocabulary, 'hostile');
  return newQueries(HOSTILE_MIX, stream, perRound, rounds);
}

/**
 * Draws the queries of all rounds together and shuffles them. The later draws contain fewer of the frequent
 * words and filters, which all rounds must contain equally.
 */
function newQueries(name: string, stream: QueryStream, perRound: number, rounds: number): Mix {
  const drawn = coldQueries(stream, perRound * rounds).map(pathOf);
  const paths = shuffled(seededRandom(name), drawn);
  const share = Math.ceil(paths.length / rounds);
  return { name, paths: () => paths.splice(0, share), once: true };
}
