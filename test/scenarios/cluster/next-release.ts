import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MAIN } from '../../harness/cli.ts';

const ROOT = dirname(dirname(MAIN));
const MIGRATIONS = 'src/engines/sql/migrations.ts';

/** A step of the next release: SQL that both databases understand, and that of one of them. */
interface NextStep {
  summary: string;
  sql: string;
  sqlite?: string;
  postgres?: string;
}

const COLUMN: NextStep = {
  summary: 'a column of the next release',
  sql: 'ALTER TABLE tracks ADD COLUMN of_the_next_release text',
};

/** Makes a copy of the program as a next release: with another version, and more steps of the schema. */
export function makeNextRelease(steps: readonly NextStep[] = [COLUMN]): {
  main: string;
  remove(): void;
} {
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
  const added = steps.map(
    ({ sql, ...rest }) =>
      `{ ...${JSON.stringify(rest)}, common: () => ${JSON.stringify(sql)}, compatibleFrom: FIRST_VERSION }`,
  );
  edit(
    join(folder, MIGRATIONS),
    /const MIGRATIONS: readonly Migration\[\] = \[[^\]]*?(?=,?\s*\];)/,
    (present) => [present, ...added].join(', '),
  );
  return {
    main: join(folder, 'bin', 'main.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function edit(path: string, pattern: RegExp, replace: (match: string) => string): void {
  const text = readFileSync(path, 'utf8');
  if (!pattern.test(text)) throw new Error(`${path} has changed: the next release cannot be made`);
  writeFileSync(path, text.replace(pattern, replace));
}
