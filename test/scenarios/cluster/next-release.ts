import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MAIN } from '../../harness/cli.ts';

const ROOT = dirname(dirname(MAIN));
const MIGRATIONS = 'src/storage/sql/migrations.ts';

/** Makes a copy of the program as a next release: with another version, and one more migration. */
export function makeNextRelease(): { main: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'stave-next-'));
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(ROOT, 'docs'), join(folder, 'docs'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ ...manifest, version: '99.0.0' }, null, 2),
  );
  const column = "() => 'ALTER TABLE tracks ADD COLUMN of_the_next_release text'";
  edit(
    join(folder, MIGRATIONS),
    /const MIGRATIONS: readonly Migration\[\] = \[[^\]]*?(?=,?\s*\];)/,
    (steps) =>
      `${steps}, { summary: 'a column of the next release', common: ${column}, compatibleFrom: FIRST_VERSION }`,
  );
  return {
    main: join(folder, 'src', 'main.ts'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function edit(path: string, pattern: RegExp, replace: (match: string) => string): void {
  const text = readFileSync(path, 'utf8');
  if (!pattern.test(text)) throw new Error(`${path} has changed: the next release cannot be made`);
  writeFileSync(path, text.replace(pattern, replace));
}
