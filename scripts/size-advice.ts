/** Prints the files of more than 300 lines and the functions of more than 60. The other checks fail at 600 and 100. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

const MAX_LINES = 300;
const SOURCES = '{src,packages,test,bench,scripts}/**/*.ts';

interface Diagnostic {
  category: string;
  location: { path: string; start: { line: number } };
}

const advice: string[] = [];
for (const path of globSync(SOURCES, {
  exclude: (name) => name === 'node_modules' || name === 'generated',
}).sort()) {
  const lines = readFileSync(path, 'utf8').split('\n').length - 1;
  if (lines > MAX_LINES) advice.push(`${path} has ${lines} lines`);
}
const config = '--config-path=scripts/size-advice.biome.json';
const { stdout } = spawnSync(
  'biome',
  ['lint', '--reporter=json', '--max-diagnostics=none', config],
  {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  },
);
for (const { category, location } of (JSON.parse(stdout) as { diagnostics: Diagnostic[] })
  .diagnostics) {
  if (!category.endsWith('noExcessiveLinesPerFunction')) continue;
  advice.push(`${location.path}:${location.start.line} is a function of more than 60 lines`);
}
for (const line of advice) console.log(`Advice: ${line}.`);
console.log(`The static checks passed. There are ${advice.length} pieces of advice.`);
