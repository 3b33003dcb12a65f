import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CatalogTrack, renderTracks, TRACKS } from '@stave/demo-catalog';
import { DAY_MS } from '../../common/clock.ts';
import { generateArtwork } from '../media/artwork/generate.ts';
import { demoTrackId } from './state.ts';
import { DEMO_LANGUAGE, trackTranslations } from './translations.ts';

export interface DemoTrack {
  id: string;
  name: string;
  /** File names of the audio and of the artwork; `artwork` is null for a sound effect. */
  audio: string;
  artwork: string | null;
  parts: readonly string[];
  /** Makes the import record, without the duration. Release dates lie before `nowMs`. */
  record(nowMs: number): object;
}

/** All tracks of the demo, in the order of the demo catalog: music first. */
export const DEMO_TRACKS: readonly DemoTrack[] = TRACKS.map((track): DemoTrack => {
  const artwork = track.type === 'music' ? `${track.id}.png` : null;
  return {
    id: demoTrackId(track.id),
    name: track.name,
    audio: track.file,
    artwork,
    parts: track.parts.map(({ file }) => file),
    record: (nowMs) => ({
      ...commonRecord(track, nowMs),
      ...(track.type === 'music' && {
        bpm: track.tempo,
        songKey: [track.songKey],
        timeSignature: track.timeSignature,
        region: track.region,
        hasVocals: track.hasVocals,
        isPRO: track.isPRO,
        isrc: track.isrc,
        artwork,
      }),
      ...(track.parts.length > 0 && {
        stems: listOf(track, 'stems'),
        versions: listOf(track, 'versions'),
      }),
    }),
  };
});

function listOf({ parts }: CatalogTrack, list: 'stems' | 'versions'): object[] {
  return parts
    .filter((part) => part.list === list)
    .map(({ kind, name, file }) => ({ kind, name, audio: file }));
}

function commonRecord(track: CatalogTrack, nowMs: number) {
  const filters = (type: string, names: readonly string[]) => names.map((name) => ({ type, name }));
  return {
    id: demoTrackId(track.id),
    externalId: track.id,
    name: track.name,
    language: DEMO_LANGUAGE,
    translations: trackTranslations(track.name, track.tags),
    type: track.type,
    audio: track.file,
    releaseDate: new Date(nowMs - track.releasedDaysAgo * DAY_MS).toISOString().slice(0, 10),
    tags: track.tags,
    artists: track.artists.map((artist, place) => ({ ...artist, isPrimary: place === 0 })),
    filters: [
      ...filters('genre', track.genres),
      ...filters('mood', track.moods),
      ...filters('use-case', track.useCases),
    ],
  };
}

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

/** Returns the key of the cover of each track; none for a sound effect. */
async function drawArtwork(folder: string): Promise<string[][]> {
  const keys: string[][] = [];
  for (const { name, artwork } of DEMO_TRACKS) {
    if (artwork === null) {
      keys.push([]);
      continue;
    }
    const picture = await generateArtwork(`demo: ${name}`);
    await writeFile(join(folder, artwork), picture);
    keys.push([`${hash('sha256', picture)}.png`]);
  }
  return keys;
}
