/**
 * `npm run bench`: import, start and page, each as bench/README.md describes. Prints a table as it
 * goes; `--write` keeps it in bench/results/, `--import N` sets the number of tracks imported,
 * `--only import|start|page` runs one part.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureImport } from './import.ts';
import { measurePage } from './page.ts';
import { machine } from './processes.ts';
import type { Row } from './row.ts';
import { measureStart } from './start.ts';

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    import: { type: 'string', default: '300000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
});

const dataFolder = fileURLToPath(new URL('../../shared/data', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stave-bench-'));
const rounds = Number(options.rounds);
const parts: Record<string, () => Promise<Row[]>> = {
  import: () => measureImport({ folder, dataFolder, tracks: Number(options.import) }),
  start: () => measureStart({ folder, dataFolder, rounds }),
  page: () => measurePage({ folder, dataFolder, rounds }),
};

const lines = [
  `# ${new Date().toISOString().slice(0, 10)}`,
  '',
  `${machine()}. Method: ../README.md.`,
  '',
  '| what | measured | goal |',
  '|---|---|---|',
];
process.stdout.write(`${lines.join('\n')}\n`);
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (options.only !== undefined && options.only !== name) continue;
    for (const row of await measure()) {
      const line = `| ${row.what} | ${row.figure} | ${row.goal} |`;
      process.stdout.write(`${line}\n`);
      lines.push(line);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (options.write) {
  const results = fileURLToPath(new URL('results', import.meta.url));
  mkdirSync(results, { recursive: true });
  writeFileSync(
    join(results, `${new Date().toISOString().slice(0, 10)}.md`),
    `${lines.join('\n')}\n`,
  );
}
