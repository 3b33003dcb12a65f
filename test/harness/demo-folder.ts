import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes the empty folder of the demo that test files share, and removes it after the tests. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'stave-shared-demo-'));
  process.env.STAVE_TEST_DEMO = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
