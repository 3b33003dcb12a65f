import type { Scrape } from '../../engines/http/metrics/metrics.ts';

/** The metrics of the whole process, which are the same in every worker. */
const OF_THE_PROCESS = /^process_|^stave_build_info$/;

/**
 * Returns the metrics of several workers as one text. Each name appears once, with the series of every worker
 * under the label `worker`. Metrics of the whole process appear once, without that label.
 *
 * @param scrapes undefined for a worker that did not respond.
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
      families.get(name)!.lines.push(...lines.map((line) => labeled(name, line, worker)));
    }
  }
  return [...families.values()]
    .flatMap(({ head, lines }) => [head, ...lines])
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns the line with the label `worker` before its other labels. */
function labeled(name: string, line: string, worker: number): string {
  if (OF_THE_PROCESS.test(name)) return line;
  return line.replace(/^([\w:]+)(\{?)/, (_, series: string, brace: string) =>
    brace === '' ? `${series}{worker="${worker}"}` : `${series}{worker="${worker}",`,
  );
}
