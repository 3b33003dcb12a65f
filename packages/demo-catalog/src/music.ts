import type { AlbumTrack } from './album.ts';
import type { Piece } from './compose/compose.ts';
import { keyOf } from './compose/harmony.ts';
import { withVoices } from './compose/voices.ts';

/** What the composer needs of a track. The name is the seed. */
export function pieceOf(track: AlbumTrack): Piece {
  return {
    seed: track.name,
    style: track.hasVocals ? withVoices(track.style) : track.style,
    key: keyOf(track.tonic, track.mode),
    tempo: track.tempo,
    beatsPerBar: Number(track.timeSignature.split('/')[0]),
    bars: track.bars,
  };
}
