import { execFileSync, spawnSync } from 'node:child_process';

/** Mounts a disk of a few megabytes. Returns whether that is possible here. */
export function mountSmallDisk(path: string, megabytes: number): boolean {
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,nr_inodes=200`, 'tmpfs', path];
  const mounted = spawnSync('mount', options).status === 0;
  if (!mounted) {
    process.stderr.write(
      'SKIPPED: the tests of a full disk, because a small disk cannot be mounted.\n',
    );
  }
  return mounted;
}

export function unmount(path: string): void {
  execFileSync('umount', ['-l', path]);
}
