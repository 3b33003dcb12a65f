import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMp3Encoder } from 'wasm-media-encoders';
import { decode } from '../src/engines/audio/decode.ts';
import { RenditionThread } from '../src/features/renditions/rendition-thread.ts';
import { shownSpread, spread } from './figures.ts';
import type { Row } from './row.ts';

const SECONDS = 180;

/** Measures the CPU time of the waveform and the preview clip of a three-minute MP3, and of the MP3 for streaming. */
export async function measureRenditions(options: {
  folder: string;
  dataFolder: string;
  rounds: number;
}): Promise<Row[]> {
  const path = join(options.folder, 'three-minutes.mp3');
  writeFileSync(path, await threeMinutes(join(options.dataFolder, 'audio/music/cat-caffe.mp3')));
  const renditions = await measured(options.rounds, async (thread) => {
    const { durationSeconds } = await thread.make({ path });
    if (Math.abs(durationSeconds - SECONDS) > 1) throw new Error(`decoded ${durationSeconds} s`);
  });
  const target = join(options.folder, 'stream.mp3');
  const stream = await measured(options.rounds, async (thread) => {
    rmSync(target, { force: true });
    await thread.encode({ path, target, format: 'mp3', kbps: 192, length: undefined });
  });
  return [
    {
      what: 'waveform and preview clip of a three-minute MP3',
      figure: renditions,
      goal: 'at most 3 s of CPU',
    },
    { what: 'MP3 of 192 kbit/s of a three-minute MP3', figure: stream, goal: 'at most 5 s of CPU' },
  ];
}

/** The processor time and the time of a job, each in a new thread. */
async function measured(
  rounds: number,
  job: (thread: RenditionThread) => Promise<void>,
): Promise<string> {
  const cpu: number[] = [];
  const wall: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    const before = process.cpuUsage();
    const thread = new RenditionThread();
    await job(thread);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1e6);
    wall.push((performance.now() - started) / 1e3);
    await thread.close();
  }
  return `${shownSpread(spread(cpu), ' s')} of CPU, in ${shownSpread(spread(wall), ' s')}`;
}

/** A stereo MP3 of three minutes, of a shorter recording that is repeated. */
async function threeMinutes(recording: string): Promise<Uint8Array> {
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 2, sampleRate: 44_100, bitrate: 192 });
  const parts: Uint8Array[] = [];
  for (let left = SECONDS * 44_100; left > 0; ) {
    for await (const { channels } of decode(recording, undefined)) {
      const part = channels.map((samples) => samples.subarray(0, left));
      parts.push(encoder.encode(part).slice());
      left -= part[0]!.length;
      if (left <= 0) break;
    }
  }
  parts.push(encoder.finalize().slice());
  return Buffer.concat(parts);
}
