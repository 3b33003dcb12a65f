import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folder in which Debian installs the programs of the newest PostgreSQL. */
export const POSTGRES_BIN = findBin();

/** Whether a test can start its own PostgreSQL here. */
export const canStartPostgres = POSTGRES_BIN !== undefined;

function findBin(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
}
