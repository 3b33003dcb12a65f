import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FFMPEG, makeByFfmpeg } from '../../../test/harness/ffmpeg.ts';
import { audioFolder, tone, wavFile } from '../../features/renditions/audio-files.test-support.ts';
import { readWithFfmpeg } from './ffmpeg-reader.ts';

const folder = audioFolder();
const SOUND = folder.write('sound.wav', wavFile([tone(1, 44_100)]));

/** A program in the place of ffmpeg, which writes audio and then does this. */
function program(end: string): string {
  const path = folder.write('ffmpeg', Buffer.from(`#!/bin/sh\n/bin/cat ${SOUND}\n${end}\n`));
  chmodSync(path, 0o755);
  return path;
}

/** Decodes by a program, and returns the number of samples. */
async function samplesBy(ffmpeg: string, path = SOUND): Promise<number> {
  let samples = 0;
  for await (const { channels } of readWithFfmpeg(ffmpeg, 'mov', path)) {
    samples += channels[0]!.length;
  }
  return samples;
}

describe('a program that decodes', () => {
  it('may take its time to end', async () => {
    expect(await samplesBy(program('exec >&-; sleep 1'))).toBe(44_100);
  });

  it.each([
    ['interrupted', 'kill -TERM $$', 'ffmpeg was ended before it had decoded the file'],
    ['interrupted', 'kill -KILL $$', 'ffmpeg was ended before it had decoded the file'],
    ['interrupted', 'exit 255', 'ffmpeg was ended before it had decoded the file'],
    ['thread', 'kill -SEGV $$', 'ffmpeg crashed (SIGSEGV)'],
    ['file', 'kill -XCPU $$', 'decoding takes more than 1800 s of a processor'],
    ['file', 'echo oh no >&2; exit 255', 'ffmpeg cannot decode the file: oh no'],
    ['file', 'exit 1', 'ffmpeg cannot decode the file'],
  ])('gives a problem of the kind %s after `%s`', async (kind, end, message) => {
    await expect(samplesBy(program(end))).rejects.toMatchObject({
      name: 'RenditionProblem',
      kind,
      message,
    });
  });

  it('is not the cause if its audio is refused', async () => {
    const fast = folder.write('fast.wav', wavFile([tone(1, 44_100)], { sampleRate: 999_999 }));
    const path = folder.write(
      'other',
      Buffer.from(`#!/bin/sh\n/bin/cat ${fast}\nexec sleep 600\n`),
    );
    chmodSync(path, 0o755);
    await expect(samplesBy(path)).rejects.toMatchObject({
      kind: 'file',
      message: 'the sample rate must be 1000 to 384000 Hz, not 999999',
    });
  });
});

describe.skipIf(FFMPEG === undefined)('ffmpeg (skipped without ffmpeg)', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'is in a group of its own, and is interrupted by %s',
    async (signal) => {
      const long = folder.write('long.wav', wavFile([tone(240, 44_100)], { bits: 8 }));
      const path = join(folder.path, 'long.m4a');
      makeByFfmpeg('-i', long, '-c:a', 'alac', path);
      let child: ChildProcess | undefined;
      const listener = (message: unknown) => {
        child = (message as { process: ChildProcess }).process;
      };
      subscribe('child_process', listener);
      const blocks = readWithFfmpeg(FFMPEG!, 'mov', path);
      try {
        await blocks.next();
      } finally {
        unsubscribe('child_process', listener);
      }
      // The fields after the name: state, parent, group.
      const stat = readFileSync(`/proc/${child!.pid}/stat`, 'utf8');
      expect(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])).toBe(child!.pid);
      child!.kill(signal);
      const rest = async () => {
        for await (const _ of blocks);
      };
      await expect(rest()).rejects.toMatchObject({ kind: 'interrupted' });
    },
  );
});
