import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildIndexOver } from '../engine/build-index-over.ts';
import { readRealParts } from '../real-parts.ts';
import type { Row } from '../row.ts';
import { entriesNamed, PAIR_FILES, readPairs, type Tried, tryPairs } from './pairs.ts';

/** The part of the pairs whose name is among the first ten. */
const GOAL = 0.95;

/**
 * Searches for names in other scripts and spellings among the names of the real catalogs; with `before`, in the index of
 * another checkout, too.
 */
export async function measureNames(options: {
  dataFolder: string;
  before: string | undefined;
}): Promise<Row[]> {
  const { names } = await readRealParts(options.dataFolder);
  const tables = PAIR_FILES.map((file) => ({ file, pairs: readPairs(file) }));
  const entries = entriesNamed(
    tables.flatMap(({ pairs }) => pairs),
    names,
  );
  const rows: Row[] = [];
  const builds = [{ which: '', build: buildIndexOver }];
  if (options.before !== undefined) {
    const path = join(options.before, 'bench/engine/build-index-over.ts');
    const { buildIndexOver: build } = await import(pathToFileURL(path).href);
    builds.unshift({ which: 'before: ', build });
  }
  for (const { which, build } of builds) {
    const index = build(entries);
    for (const { file, pairs } of tables) {
      const tried = tryPairs(index, pairs, entries);
      rows.push(...rowsOf(tried).map((row) => ({ ...row, what: `${file}: ${which}${row.what}` })));
    }
  }
  return rows;
}

function rowsOf(tried: readonly Tried[]): Row[] {
  const wanted = tried.filter(({ pair }) => pair.isMatch);
  const unwanted = tried.filter(({ pair }) => !pair.isMatch);
  const missed = wanted.filter(({ isAmongTen }) => !isAmongTen);
  const wrong = unwanted.filter(({ isFound }) => isFound);
  const kinds = [...new Set(wanted.map(({ pair }) => pair.kind))].map((kind) => {
    const some = wanted.filter(({ pair }) => pair.kind === kind);
    return `${kind} ${some.filter(({ isAmongTen }) => isAmongTen).length} of ${some.length}`;
  });
  const found = wanted.length - missed.length;
  return [
    {
      what: `recall at 10 of ${wanted.length} pairs that should match`,
      figure: `${(found / wanted.length).toFixed(3)} (${found})`,
      goal: `${GOAL}`,
    },
    { what: 'by kind', figure: kinds.join('; '), goal: '' },
    { what: 'missed', figure: listOf(missed), goal: '' },
    {
      what: `false matches of ${unwanted.length} pairs that should not match`,
      figure: `${wrong.length}`,
      goal: 'no more than before',
    },
    { what: 'false', figure: listOf(wrong), goal: '' },
  ];
}

/** The pairs; of those that match, but not among the first ten, it says so. */
function listOf(some: readonly Tried[]): string {
  const texts = some.map(({ pair: { name, query, isMatch }, isFound }) => {
    const rank = isMatch && isFound ? ' (after the tenth)' : '';
    return `“${query}” for “${name}”${rank}`;
  });
  return texts.join('; ') || 'none';
}
