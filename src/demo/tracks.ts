import { DAY_MS } from '../kernel/clock.ts';
import type { AlbumTrack } from './album.ts';
import { perform } from './compose/perform.ts';
import { EFFECTS, renderEffect } from './effects.ts';
import { demoTrackId } from './identity.ts';
import { MUSIC, pieceOf } from './music.ts';
import type { StereoSound } from './synth/sound.ts';

/** One track of the demo: its record, and how to make its sound. */
export interface DemoTrack {
  id: string;
  name: string;
  /** File name of the audio, and of the cover where it has one. */
  audio: string;
  artwork: string | null;
  /** Costs some 150 ms for music; do it in a worker. */
  render(): StereoSound;
  /** What the import is given; release dates lie before `nowMs`. Durations come with the audio. */
  record(nowMs: number): object;
}

/** All of them, music first; the places in this list name a track to the workers. */
export const DEMO_TRACKS: readonly DemoTrack[] = [
  ...MUSIC.map((track, i): DemoTrack => {
    const named = naming('music', i, track.name);
    return {
      ...named,
      artwork: named.audio.replace('.wav', '.png'),
      render: () => perform(pieceOf(track)),
      record: (nowMs) => ({
        ...commonRecord(named, track, nowMs),
        type: 'music',
        bpm: track.tempo,
        songKey: [songKey(track)],
        timeSignature: track.timeSignature,
        region: track.region,
        hasVocals: track.hasVocals,
        isPRO: track.isPRO,
        isrc: `ZZSTV26${String(i + 1).padStart(5, '0')}`,
        artists: track.artists.map((artist, place) => ({ ...artist, isPrimary: place === 0 })),
        artwork: named.audio.replace('.wav', '.png'),
      }),
    };
  }),
  ...EFFECTS.map((effect, i): DemoTrack => {
    const named = naming('sfx', i, effect.name);
    return {
      ...named,
      artwork: null,
      render: () => renderEffect(effect),
      record: (nowMs) => ({
        ...commonRecord(named, effect, nowMs),
        type: 'sfx',
        artists: [{ name: 'Stave Sound Library', role: 'PRODUCER', isPrimary: true }],
      }),
    };
  }),
];

interface Naming {
  id: string;
  externalId: string;
  name: string;
  audio: string;
}

function naming(type: string, index: number, name: string): Naming {
  const externalId = `${type}-${String(index + 1).padStart(2, '0')}`;
  return { id: demoTrackId(externalId), externalId, name, audio: `${externalId}.wav` };
}

interface Described {
  genres: readonly string[];
  moods: readonly string[];
  useCases: readonly string[];
  tags: readonly string[];
  releasedDaysAgo: number;
}

function commonRecord(
  { id, externalId, name, audio }: Naming,
  described: Described,
  nowMs: number,
) {
  const filters = (type: string, names: readonly string[]) =>
    names.map((one) => ({ type, name: one }));
  return {
    id,
    externalId,
    name,
    audio,
    releaseDate: new Date(nowMs - described.releasedDaysAgo * DAY_MS).toISOString().slice(0, 10),
    tags: described.tags,
    filters: [
      ...filters('genre', described.genres),
      ...filters('mood', described.moods),
      ...filters('use-case', described.useCases),
    ],
  };
}

/** As musicians write it: a harmonic minor is a minor key. */
function songKey({ tonic, mode }: AlbumTrack): string {
  return `${tonic} ${mode.replace('harmonic ', '')}`;
}
