import { statfs } from 'node:fs/promises';
import { nearestFolder } from './files.ts';

/** File systems that several hosts can use at once, and those of FUSE, by the type that Linux gives (statfs(2)). */
const SHARED: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'SMB',
  4266872130: 'SMB',
  1702057286: 'FUSE',
  16914839: '9P',
  12805120: 'Ceph',
  1397113167: 'AFS',
  198183888: 'Lustre',
  1196443219: 'GPFS',
  18225520: 'GFS2',
  1952539503: 'OCFS2',
};

/** Returns the name of the file system of a folder if other hosts may use it, too; undefined for one of this machine. */
export async function sharedFileSystem(folder: string): Promise<string | undefined> {
  // Other systems number their types in another way.
  if (process.platform !== 'linux') return undefined;
  const { type } = await statfs(nearestFolder(folder));
  return SHARED[type >>> 0];
}
