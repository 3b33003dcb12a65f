import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { someTracks, staveJson } from '../harness/cli.ts';
import { wav } from '../harness/wav.ts';

/** Fills a data folder with a client, a playlist, and tracks with and without audio. */
export async function filledCatalog(data: string, sources: string) {
  mkdirSync(sources, { recursive: true });
  writeFileSync(`${sources}/one.wav`, wav(800));
  writeFileSync(`${sources}/two.wav`, wav(1600));
  const records = [
    { externalId: 'a1', name: 'One', type: 'sfx', audio: 'one.wav' },
    { externalId: 'a2', name: 'Two', type: 'sfx', audio: 'two.wav' },
    { externalId: 'a3', name: 'One again', type: 'sfx', audio: 'one.wav' },
  ];
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(`${sources}/tracks.ndjson`, lines + someTracks(20));
  await staveJson(data, ['import', `${sources}/tracks.ndjson`]);
  await staveJson(data, ['playlists', 'create', '-n', 'Night', '-t', 'one,track-1']);
  const scopes = 'tracks,search,filters,playlists';
  const client = await staveJson(data, ['clients', 'create', '-n', 'Acme', '-s', scopes]);
  await staveJson(data, ['playlists', 'grant', 'night', '--client', client.clientId]);
  return client;
}

/** The paths of all files below a folder, relative to it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
