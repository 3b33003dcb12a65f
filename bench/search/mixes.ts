import { seededRandom } from '../../src/common/seeded-random.ts';
import { coldQueries, hotPool, hotQueries, QueryStream } from '../queries/mix.ts';
import { pathOf } from '../queries/query.ts';
import { shuffled, type Vocabulary } from '../queries/vocabulary.ts';
import type { Mix } from './throughput.ts';

/** So many draws are asked in turn: many more than there are different ones. */
const HOT_DRAWS = 30_000;

/** The name of the mix with queries built to be slow in it. */
export const HOSTILE_MIX = '99 % cold, 1 % hostile';

/** Queries repeat: 2,000 different ones, by Zipf's law. */
export function hotMix(vocabulary: Vocabulary): Mix {
  const paths = hotQueries(hotPool(vocabulary, 'hot'), HOT_DRAWS, 'hot').map(pathOf);
  return { name: 'hot', paths: () => paths, once: false };
}

/** Every query new, in all rounds together; `perRound` of them, which bounds how many can be asked. */
export function coldMix(vocabulary: Vocabulary, perRound: number, rounds: number): Mix {
  return newQueries('cold', new QueryStream('mix', vocabulary, 'cold'), perRound, rounds);
}

/** As the cold mix, and one query in a hundred is built to be slow. */
export function hostileMix(vocabulary: Vocabulary, perRound: number, rounds: number): Mix {
  const stream = new QueryStream('hostile mix', vocabulary, 'hostile');
  return newQueries(HOSTILE_MIX, stream, perRound, rounds);
}

/**
 * Drawn all at once and shuffled: the frequent words and filters run out as queries are drawn, and
 * no round is to have more of them than another.
 */
function newQueries(name: string, stream: QueryStream, perRound: number, rounds: number): Mix {
  const drawn = coldQueries(stream, perRound * rounds).map(pathOf);
  const paths = shuffled(seededRandom(name), drawn);
  const share = Math.ceil(paths.length / rounds);
  return { name, paths: () => paths.splice(0, share), once: true };
}
