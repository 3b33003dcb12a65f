import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIOME = join(
  fileURLToPath(import.meta.url),
  '../../../node_modules/@biomejs/biome/bin/biome',
);

/** TypeScript in the format of the project. */
export function formatted(path: string, source: string): string {
  const args = [BIOME, 'format', `--stdin-file-path=${path}`];
  return execFileSync(process.execPath, args, {
    input: source,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
}
