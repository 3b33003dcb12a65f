import { MAX_COLUMNS, type WholeRow } from './csv-rows.ts';

/** The columns of a file. */
export interface Columns {
  /** The names by which a record has its cells. */
  names: readonly string[];
  /** The cells of the heading. */
  heading: readonly string[];
  /** How many cells a row needs: those after it have no name. */
  needed: number;
}

/** Returns names that are all different: `a`, `a[2]`, and `[3]` for a third column without a name. */
export function numbered(heading: readonly string[]): string[] {
  const taken = new Set(heading);
  const counts = new Map<string, number>();
  return heading.map((name, i) => {
    let count = (counts.get(name) ?? 0) + 1;
    let unique = name === '' ? `[${i + 1}]` : count === 1 ? name : `${name}[${count}]`;
    while (unique !== name && taken.has(unique)) {
      unique = `${name}[${++count}]`;
    }
    counts.set(name, count);
    taken.add(unique);
    return unique;
  });
}

/**
 * Whether a row has the cells of the heading. Empty cells at its end may be too many or too few. If
 * the last column is a list, a row has any number of its cells, up to the limit of columns.
 */
export function hasWidth(
  { cells, cellCount }: WholeRow,
  { names, needed }: Columns,
  lastColumnIsList: boolean,
): boolean {
  if (lastColumnIsList) {
    return cellCount === cells.length && cellCount >= Math.min(needed, names.length - 1);
  }
  if (cellCount <= names.length) {
    return cellCount >= needed;
  }
  return (
    cellCount === cells.length && cells.slice(names.length).every((cell) => cell.start === cell.end)
  );
}

/** Returns why a row without the cells of the heading is rejected. */
export function widthProblem(
  { cells, cellCount }: WholeRow,
  { names }: Columns,
  lastColumnIsList: boolean,
): string {
  if (lastColumnIsList && cellCount > MAX_COLUMNS) {
    return `the row has ${cellCount} cells; ${MAX_COLUMNS} are read at most`;
  }
  const problem = `the row has ${cellCount} cells where the heading has ${names.length}`;
  if (cells.some((cell) => cell.isMultiLine)) {
    return `${problem}, perhaps for a quote that nothing closes`;
  }
  return cellCount > names.length
    ? `${problem} (if they are a list, write \`"lastColumnIsList": true\` in the mapping)`
    : problem;
}
