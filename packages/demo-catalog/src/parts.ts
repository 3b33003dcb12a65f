import type { AlbumTrack } from './album.ts';
import { perform, performStems } from './compose/perform.ts';
import { stemKindOf } from './compose/stem-kinds.ts';
import { pieceOf } from './music.ts';
import { fade } from './synth/envelopes.ts';
import { frames, type StereoSound } from './synth/sound.ts';

/** A stem or another version of a track. */
interface TrackPart {
  list: 'stems' | 'versions';
  /** What it contains, or how it differs, such as `drums` or `cutdown`. */
  kind: string;
  name: string;
  /** Name of the audio file that `renderTracks` writes. */
  file: string;
}

/** The parts of a track, and how they are rendered. */
export interface TrackParts {
  parts: readonly TrackPart[];
  /** Renders the parts of this mix, in their order; 100 to 300 ms. */
  renderParts(mix: StereoSound): StereoSound[];
}

/** The piece whose instruments are also rendered one by one. */
const WITH_STEMS = 'Rooftop Cassette';
/** The piece that is also rendered without its singers. */
const WITH_INSTRUMENTAL = 'Night Bus Home';

const CUTDOWN_BARS = 3;
const CUTDOWN_FADE_SECONDS = 1.5;

/** Returns the parts of a piece; most have none. */
export function partsOf(track: AlbumTrack, id: string): TrackParts {
  const cutdown: TrackPart = {
    list: 'versions',
    kind: 'cutdown',
    name: `${Math.round(cutdownSeconds(track))} seconds`,
    file: `${id}-cutdown.wav`,
  };
  switch (track.name) {
    case WITH_STEMS: {
      const kinds = [...new Set(track.style.parts.map(({ instrument }) => stemKindOf(instrument)))];
      if (track.style.drums !== undefined) kinds.push('drums');
      const stems = kinds.map((kind): TrackPart => {
        const name = `${kind[0]!.toUpperCase()}${kind.slice(1)}`;
        return { list: 'stems', kind, name, file: `${id}-${kind}.wav` };
      });
      return {
        parts: [...stems, cutdown],
        renderParts: (mix) => {
          const sounds = performStems(pieceOf(track));
          return [...kinds.map((kind) => sounds.get(kind)!), cutDown(mix, track)];
        },
      };
    }
    case WITH_INSTRUMENTAL: {
      const instrumental: TrackPart = {
        list: 'versions',
        kind: 'instrumental',
        name: 'Without voices',
        file: `${id}-instrumental.wav`,
      };
      return {
        parts: [instrumental, cutdown],
        renderParts: (mix) => [
          perform(pieceOf({ ...track, hasVocals: false })),
          cutDown(mix, track),
        ],
      };
    }
    default:
      return { parts: [], renderParts: () => [] };
  }
}

/** Returns the first bars of a mix. */
function cutDown({ left, right }: StereoSound, track: AlbumTrack): StereoSound {
  const length = frames(cutdownSeconds(track));
  const cut = { left: left.slice(0, length), right: right.slice(0, length) };
  for (const side of [cut.left, cut.right]) fade(side, 0, CUTDOWN_FADE_SECONDS);
  return cut;
}

function cutdownSeconds(track: AlbumTrack): number {
  const { beatsPerBar, tempo } = pieceOf(track);
  return (CUTDOWN_BARS * beatsPerBar * 60) / tempo + CUTDOWN_FADE_SECONDS;
}
