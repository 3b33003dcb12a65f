// Writes docs/reference/ and .env.example from the code. With --check, compares them with the code
// instead.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referenceFiles } from './reference/files.ts';

const root = join(fileURLToPath(import.meta.url), '..', '..');
const check = process.argv.includes('--check');

const stale: string[] = [];
for (const [path, text] of await referenceFiles()) {
  const file = join(root, path);
  if (readOrEmpty(file) === text) {
    continue;
  }
  stale.push(path);
  if (!check) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
if (stale.length > 0) {
  const told = check ? 'differ from the code; run `npm run reference`' : 'written';
  process.stderr.write(`${stale.join(', ')}: ${told}\n`);
}
process.exitCode = check && stale.length > 0 ? 1 : 0;

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
