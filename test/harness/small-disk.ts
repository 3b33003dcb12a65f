import { execFileSync, spawnSync } from 'node:child_process';
import { afterAll } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from './cli.ts';

/** Mounts a disk of a few megabytes for the tests of a `describe`; `mounted` is whether that is possible here. */
export function smallDisk(megabytes: number): TemporaryFolder & { mounted: boolean } {
  const disk = temporaryFolder();
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,nr_inodes=200`, 'tmpfs', disk.path];
  const mounted = spawnSync('mount', options).status === 0;
  if (!mounted) {
    process.stderr.write(
      'SKIPPED: the tests of a full disk, because a small disk cannot be mounted.\n',
    );
  }
  afterAll(() => {
    if (mounted) execFileSync('umount', ['-l', disk.path]);
    disk[Symbol.dispose]();
  });
  return { ...disk, mounted };
}
