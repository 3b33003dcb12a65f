import { type AlbumTrack, readAlbum } from './album.ts';
import { perform } from './compose/perform.ts';
import { EFFECTS, renderEffect } from './effects.ts';
import { pieceOf } from './music.ts';
import { partsOf, type TrackPart } from './parts.ts';
import type { StereoSound } from './synth/sound.ts';

interface Track {
  /** `music-01` to `music-24`, `sfx-01` to `sfx-12`. */
  id: string;
  /** Name of the audio file that `renderTracks` writes. */
  file: string;
  name: string;
  genres: readonly string[];
  moods: readonly string[];
  useCases: readonly string[];
  tags: readonly string[];
  /** The first one is the primary artist. */
  artists: readonly { name: string; role: string }[];
  releasedDaysAgo: number;
  /** Renders the sound; about 150 ms for music. */
  render(): StereoSound;
  /** The stems and other versions; most tracks have none. */
  parts: readonly TrackPart[];
  /** Renders the parts of the sound that `render` returned, in their order. */
  renderParts(mix: StereoSound): StereoSound[];
}

/** A piece of music. */
export interface MusicTrack extends Track {
  type: 'music';
  /** Beats per minute. */
  tempo: number;
  /** Tonic and mode, such as `D lydian`. */
  songKey: string;
  timeSignature: string;
  region: string;
  hasVocals: boolean;
  isPRO: boolean;
  isrc: string;
}

/** A sound effect. */
export interface EffectTrack extends Track {
  type: 'sfx';
  seconds: number;
}

export type CatalogTrack = MusicTrack | EffectTrack;

/** All tracks of the catalog, music first. */
export const TRACKS: readonly CatalogTrack[] = [
  ...readAlbum().map(
    (track, i): MusicTrack => ({
      ...track,
      ...fileOf('music', i),
      type: 'music',
      songKey: songKey(track),
      isrc: `ZZSTV26${String(i + 1).padStart(5, '0')}`,
      render: () => perform(pieceOf(track)),
      ...partsOf(track, fileOf('music', i).id),
    }),
  ),
  ...EFFECTS.map(
    (effect, i): EffectTrack => ({
      ...effect,
      ...fileOf('sfx', i),
      type: 'sfx',
      artists: [{ name: 'Stave Sound Library', role: 'PRODUCER' }],
      render: () => renderEffect(effect),
      ...{ parts: [], renderParts: () => [] },
    }),
  ),
];

function fileOf(type: string, index: number): { id: string; file: string } {
  const id = `${type}-${String(index + 1).padStart(2, '0')}`;
  return { id, file: `${id}.wav` };
}

/** In musical notation, a piece in harmonic minor has a minor key. */
function songKey({ tonic, mode }: AlbumTrack): string {
  return `${tonic} ${mode.replace('harmonic ', '')}`;
}
