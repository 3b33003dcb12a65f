import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AudioBlock } from '../../src/engines/audio/audio-block.ts';
import { decode } from '../../src/engines/audio/decode.ts';
import { analyzeAudio } from '../../src/engines/audio/sound/analyze-audio.ts';

const FOLDERS = ['music', 'sfx', 'esc50'];
const PIECE_SECONDS = 15;
/** Pieces that are shorter have too little of everything. */
const LEAST_SECONDS = 4;
/** One recording is there in nine formats. */
const REPEATED = /^galway\.(?!wav)/;

/** The sounds of the pieces of 15 seconds of all recordings in a folder. */
export async function realSounds(folder: string): Promise<Int8Array[]> {
  const sounds: Int8Array[] = [];
  for (const inner of FOLDERS) {
    for (const file of readdirSync(join(folder, inner)).sort()) {
      if (REPEATED.test(file)) continue;
      for await (const piece of piecesOf(decode(join(folder, inner, file), undefined))) {
        sounds.push(new Int8Array((await analyzeAudio(piece)).vector));
      }
    }
  }
  return sounds;
}

async function* piecesOf(blocks: AsyncIterable<AudioBlock>) {
  let piece: AudioBlock[] = [];
  let seconds = 0;
  for await (const { sampleRate, channels } of blocks) {
    piece.push({ sampleRate, channels: channels.map((channel) => channel.slice()) });
    seconds += channels[0]!.length / sampleRate;
    if (seconds < PIECE_SECONDS) continue;
    yield replayed(piece);
    piece = [];
    seconds = 0;
  }
  if (seconds >= LEAST_SECONDS) yield replayed(piece);
}

async function* replayed(blocks: readonly AudioBlock[]): AsyncGenerator<AudioBlock> {
  yield* blocks;
}
