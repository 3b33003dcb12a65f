import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderTracks } from '@stave/demo-catalog';
import { generateArtwork } from '../media/artwork/generate.ts';
import { DEMO_TRACKS } from './tracks.ts';

/** The rendered files of one demo track. */
export interface RenderedFiles {
  seconds: number;
  /** The keys that the media store will give the files. */
  mediaKeys: string[];
}

/** Renders the audio, the parts and the artwork of every demo track into the folder, in the order of `DEMO_TRACKS`. */
export async function renderDemo(folder: string): Promise<RenderedFiles[]> {
  const [audio, artworkKeys] = await Promise.all([renderTracks(folder), drawArtwork(folder)]);
  return audio.map(({ sha256, seconds, parts }, i) => ({
    seconds,
    mediaKeys: [sha256, ...parts.map((part) => part.sha256)]
      .map((hash) => `${hash}.wav`)
      .concat(artworkKeys[i]!),
  }));
}

/** Returns the media keys of each track's artwork: one for music, none for an effect. */
async function drawArtwork(folder: string): Promise<string[][]> {
  const keys: string[][] = [];
  for (const { name, artwork } of DEMO_TRACKS) {
    keys.push(artwork === null ? [] : [await drawCover(join(folder, artwork), name)]);
  }
  return keys;
}

async function drawCover(path: string, name: string): Promise<string> {
  const picture = await generateArtwork(`demo: ${name}`);
  await writeFile(path, picture);
  return `${createHash('sha256').update(picture).digest('hex')}.png`;
}
