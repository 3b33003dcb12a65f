import type { Scrape } from '../api/metrics.ts';

/** What is of the process, and the same whichever worker is asked. */
const OF_THE_PROCESS = /^process_|^stave_build_info$/;

/**
 * The metrics of several workers as one text: each name once, in the order of the first that has it,
 * with every worker's series under the label `worker`; what is of the whole process once and without.
 *
 * @param scrapes undefined for those that did not answer.
 */
export function mergedText(
  scrapes: readonly ({ worker: number; scrape: Scrape } | undefined)[],
): string {
  const families = new Map<string, { head: string; lines: string[] }>();
  for (const { worker, scrape } of scrapes.filter((one) => one !== undefined)) {
    for (const { name, head, lines } of scrape) {
      const known = families.get(name);
      if (known === undefined) families.set(name, { head, lines: [] });
      else if (OF_THE_PROCESS.test(name)) continue;
      families.get(name)!.lines.push(...lines.map((line) => labelled(name, line, worker)));
    }
  }
  return [...families.values()]
    .flatMap(({ head, lines }) => [head, ...lines])
    .map((line) => `${line}\n`)
    .join('');
}

/** The line with the worker's label first; after the name come the other labels, or the value. */
function labelled(name: string, line: string, worker: number): string {
  if (OF_THE_PROCESS.test(name)) return line;
  return line.replace(/^([\w:]+)(\{?)/, (_, series: string, brace: string) =>
    brace === '' ? `${series}{worker="${worker}"}` : `${series}{worker="${worker}",`,
  );
}
