import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sharedFileSystem } from './shared-file-system.ts';

it('finds nothing on a disk or in the memory of this machine, also for a folder that is not made yet', async () => {
  expect(await sharedFileSystem(tmpdir())).toBeUndefined();
  expect(await sharedFileSystem(join(tmpdir(), 'not', 'yet'))).toBeUndefined();
});
