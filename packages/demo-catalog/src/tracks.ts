import { type AlbumTrack, type Described, readAlbum } from './album.ts';
import { perform } from './compose/perform.ts';
import { EFFECTS, renderEffect } from './effects.ts';
import { pieceOf } from './music.ts';
import { partsOf, type TrackParts } from './parts.ts';
import type { StereoSound } from './synth/sound.ts';

/** A track, with its stems and other versions, of which most have none. */
interface Track extends Described, TrackParts {
  /** `music-01` to `music-24`, `sfx-01` to `sfx-12`. */
  id: string;
  /** Name of the audio file that `renderTracks` writes. */
  file: string;
  /** The first one is the primary artist. */
  artists: readonly { name: string; role: string }[];
  /** Renders the sound; about 150 ms for music. */
  render(): StereoSound;
}

/** A piece of music. */
export interface MusicTrack
  extends Track,
    Pick<AlbumTrack, 'tempo' | 'timeSignature' | 'region' | 'hasVocals' | 'isPRO'> {
  type: 'music';
  /** Tonic and mode, such as `D lydian`. */
  songKey: string;
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
