import { join } from 'node:path';
import { readAlbum } from '../../packages/demo-catalog/src/album.ts';
import { type MusicTrack, TRACKS } from '../../packages/demo-catalog/src/index.ts';
import { SAMPLE_RATE } from '../../packages/demo-catalog/src/synth/sound.ts';
import type { AudioBlock } from '../../src/engines/audio/audio-block.ts';
import { decode } from '../../src/engines/audio/decode.ts';
import { analyzeAudio } from '../../src/engines/audio/sound/analyze-audio.ts';
import type { SoundAnalysis } from '../../src/engines/audio/sound/sound-analysis.ts';
import { cosine } from '../../src/engines/audio/sound/sounds.test-support.ts';
import { detectedValues } from '../../src/features/sound/sound.ts';

/** Music of which a tempo or a key is known. */
export interface KnownMusic {
  name: string;
  bpm?: number;
  /** Tonic and mode. */
  key?: string;
  /** Pieces of the demo catalog with the same style have equal ones. */
  style?: object;
  blocks(): AsyncIterable<AudioBlock>;
}

/** The pieces of the demo catalog, of which the composer knows everything. */
export const DEMO: readonly KnownMusic[] = readAlbum().map(({ name, style, tempo }, i) => {
  const track = TRACKS[i] as MusicTrack;
  return { name, style, bpm: tempo, key: track.songKey, blocks: () => rendered(track) };
});

async function* rendered(track: MusicTrack): AsyncGenerator<AudioBlock> {
  const { left, right } = track.render();
  yield { sampleRate: SAMPLE_RATE, channels: [left, right] };
}

/**
 * Recordings of ../shared: tempos of the records of incompetech, of the tags of the files, or of their title; keys of the
 * printed title of the work.
 */
const RECORDINGS: readonly { file: string; bpm?: number; key?: string }[] = [
  { file: 'galway.wav', bpm: 110 },
  { file: 'vibe-ace.ogg', bpm: 130 },
  { file: 'gold-rush.mp3', bpm: 120 },
  { file: 'outfoxing-the-fox.mp3', bpm: 160 },
  { file: 'cat-caffe.mp3', bpm: 95 },
  { file: 'insert-coin.mp3', bpm: 150 },
  { file: 'solo-trumpet-06.ogg', bpm: 90, key: 'F major' },
  { file: 'sugar-plum-fairy.ogg', key: 'E minor' },
  { file: 'vivaldi-spring.ogg', key: 'E major' },
  { file: 'moonlight-sonata-adagio.mp3', key: 'C# minor' },
  { file: 'morning-mood.mp3', key: 'E major' },
];

/** @param dataFolder ../shared/data */
export function recordings(dataFolder: string): KnownMusic[] {
  return RECORDINGS.map(({ file, ...known }) => ({
    ...known,
    name: file,
    blocks: () => decode(join(dataFolder, 'audio/music', file), undefined),
  }));
}

/** Whether the found value is right, and whether a track gets it. */
export interface Verdict {
  isRight: boolean;
  isFilled: boolean;
}

export interface Judged {
  music: KnownMusic;
  found: SoundAnalysis;
  /** Of what is known. */
  tempo?: Verdict;
  key?: Verdict;
}

/** The part of a tempo by which it may be wrong. */
const TOLERANCE = 0.04;

export async function judge(music: KnownMusic): Promise<Judged> {
  const found = await analyzeAudio(music.blocks());
  const values = detectedValues(found);
  const { bpm, key } = music;
  return {
    ...{ music, found },
    ...(bpm !== undefined && {
      tempo: {
        isRight: Math.abs((found.tempo?.bpm ?? 0) / bpm - 1) <= TOLERANCE,
        isFilled: values.bpm !== undefined,
      },
    }),
    ...(key !== undefined && {
      key: {
        isRight: found.key !== undefined && majorOf(key) === majorOf(found.key.name),
        isFilled: values.songKey !== undefined,
      },
    }),
  };
}

export interface Score {
  known: number;
  filled: number;
  right: number;
}

/** Counts of the known values, of those that are filled, and of these those that are right. */
export function scoreOf(judged: readonly Judged[], what: 'tempo' | 'key'): Score {
  const known = judged.flatMap((one) => one[what] ?? []);
  const filled = known.filter(({ isFilled }) => isFilled);
  const right = filled.filter(({ isRight }) => isRight);
  return { known: known.length, filled: filled.length, right: right.length };
}

const PITCHES: Readonly<Record<string, number>> = {
  ...{ C: 0, 'C#': 1, Db: 1, D: 2, 'D#': 3, Eb: 3, E: 4, F: 5, 'F#': 6, Gb: 6 },
  ...{ G: 7, 'G#': 8, Ab: 8, A: 9, 'A#': 10, Bb: 10, B: 11 },
};
/** Modes with a minor third count as minor, the others as major. */
const MINOR_MODES = ['minor', 'dorian', 'phrygian'];

/** The tonic of the major key with the same scale. A key and its relative have equal ones. */
function majorOf(key: string): number {
  const [tonic, mode] = key.split(' ') as [string, string];
  return (PITCHES[tonic]! + (MINOR_MODES.includes(mode) ? 3 : 0)) % 12;
}

/** Pieces of the demo catalog that share their style with another one, and how many have such a one as nearest neighbor. */
export function neighborsOf(judged: readonly Judged[]): { pieces: number; ofStyle: number } {
  const paired = judged.filter(
    (one) => judged.filter(({ music }) => music.style === one.music.style).length > 1,
  );
  const ofStyle = paired.filter((one) => {
    const nearness = (other: Judged) => cosine(one.found.vector, other.found.vector);
    const others = judged.filter((other) => other !== one);
    const nearest = others.reduce((best, other) =>
      nearness(other) > nearness(best) ? other : best,
    );
    return nearest.music.style === one.music.style;
  });
  return { pieces: paired.length, ofStyle: ofStyle.length };
}
