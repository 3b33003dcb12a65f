import { writeFileSync } from 'node:fs';
import { someTracks, staveJson } from '../harness/cli.ts';

/** The path of all changes, without the tracks. */
export const ALL = '/v1/tracks/changes?since=1970-01-01T00:00:00Z&tracks=false';

/** Makes a catalog of three tracks, and a client that may follow its changes. */
export async function catalogWithReader(data: string, file: string) {
  writeFileSync(file, someTracks(3));
  await staveJson(data, ['import', file]);
  const terms = ['--scopes', 'changes', '--features', 'changes'];
  return staveJson(data, ['clients', 'create', '--name', 'Mirror', ...terms]);
}
