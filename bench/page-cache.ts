import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes the system forget what it keeps in memory of the files in a folder (posix_fadvise with
 * POSIX_FADV_DONTNEED, by dd of the GNU coreutils). Ignores subfolders.
 */
export function dropPageCache(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(folder, entry.name);
    execFileSync('dd', [
      `of=${file}`,
      'oflag=nocache',
      'conv=notrunc,fdatasync',
      'count=0',
      'status=none',
    ]);
  }
}
