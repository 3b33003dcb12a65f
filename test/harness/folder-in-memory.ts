import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const SHARED_MEMORY = '/dev/shm';
const MIN_FREE_BYTES = 8 * 1024 ** 3;

/**
 * The folder in which tests keep their files: in memory if there is room, because most tests wait for the disk at each
 * commit of a small database. No test ends the machine, so that none depends on what reaches a disk.
 */
export function folderInMemory(): string {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    accessSync(SHARED_MEMORY, constants.W_OK);
    // Tests execute programs that they write.
    const mount = readFileSync('/proc/mounts', 'utf8').match(/^\S+ \/dev\/shm \S+ (\S+)/m);
    const isExecutable = mount !== null && !mount[1]!.split(',').includes('noexec');
    return isExecutable && bavail * bsize >= MIN_FREE_BYTES ? SHARED_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
