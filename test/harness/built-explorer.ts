import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../scripts/ensure-built.mjs', import.meta.url));

/** Builds the explorer before the tests, if it is older than its sources. */
export default function setup(): void {
  const { status } = spawnSync(process.execPath, [SCRIPT], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the explorer could not be built');
}
