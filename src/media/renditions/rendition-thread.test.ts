import { chmodSync, closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { audioFolder, chunk, tone, wavFile } from './audio-files.test-support.ts';
import type { Renditions } from './make-renditions.ts';
import { openRenditionThread, type RenditionThread } from './rendition-thread.ts';

const folder = audioFolder();
const good = folder.write('good.wav', wavFile([tone(3, 44_100)]));
const bad = folder.write('bad.flac', Buffer.from('fLaC'));

const CLOSED = 'the renditions were not made: their thread was closed';

const open: RenditionThread[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thread) => thread.close()));
});

function start(...options: Parameters<typeof openRenditionThread>): RenditionThread {
  const thread = openRenditionThread(...options);
  open.push(thread);
  return thread;
}

const bytesOf = ({ clip, waveformDat, waveformJson }: Renditions) =>
  [clip, waveformDat, waveformJson].map((bytes) => Buffer.from(bytes).toString('base64'));

/** A WAV file of 8 bits at 44.1 kHz, written in parts, so that this process does not hold it. */
function longFile(name: string, seconds: number): string {
  const path = join(folder.path, name);
  const second = wavFile([tone(1, 44_100)], { bits: 8 }).subarray(44);
  const file = openSync(path, 'w');
  const header = wavFile([[0]], { bits: 8 });
  header.writeUInt32LE(0, 40);
  writeSync(file, header.subarray(0, 44));
  const minute = Buffer.concat(Array.from({ length: 60 }, () => second));
  for (let left = seconds; left > 0; left -= 60) {
    writeSync(file, minute.subarray(0, Math.min(left, 60) * second.length));
  }
  closeSync(file);
  return path;
}

/** The greatest memory of this process, with its threads, while something runs. */
async function peakOf<T>(run: () => Promise<T>): Promise<{ result: T; megabytes: number }> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const result = await run();
  clearInterval(timer);
  return { result, megabytes: peak / 1024 / 1024 };
}

describe('a rendition thread', () => {
  it('makes the same bytes again, and in another thread', async () => {
    const thread = start();
    const [first, second, other] = await Promise.all([
      thread.make({ path: good }),
      thread.make({ path: good }),
      start().make({ path: good }),
    ]);
    expect(bytesOf(second)).toEqual(bytesOf(first));
    expect(bytesOf(other)).toEqual(bytesOf(first));
    expect(first).toMatchObject({ clipStartSeconds: 0, durationSeconds: 3 });
  });

  it('gives a reason for a file that cannot be decoded, and goes on', async () => {
    const thread = start();
    await expect(thread.make({ path: bad })).rejects.toMatchObject({
      name: 'RenditionProblem',
      message: 'the file has no audio that can be decoded',
      kind: 'file',
    });
    const m4a = folder.write('a.m4a', Buffer.from('\0\0\0\x18ftypM4A ', 'latin1'));
    await expect(thread.make({ path: m4a })).rejects.toMatchObject({ kind: 'format' });
    // The audio is not the cause.
    await expect(thread.make({ path: join(folder.path, 'missing.wav') })).rejects.toMatchObject({
      name: 'Error',
      message: expect.stringContaining('ENOENT'),
    });
    expect((await thread.make({ path: good })).durationSeconds).toBe(3);
  });

  it('ends a file that takes too long, and does the next one in another thread', async () => {
    // Writes nothing. It ends by itself, because nothing ends the program of a thread that is ended.
    const ffmpeg = folder.write('ffmpeg', Buffer.from('#!/bin/sh\nexec sleep 30\n'));
    chmodSync(ffmpeg, 0o755);
    const thread = start({ ffmpeg, baseSeconds: 10 });
    const m4a = folder.write('slow.m4a', Buffer.from('\0\0\0\x18ftypM4A ', 'latin1'));
    await expect(thread.make({ path: m4a })).rejects.toMatchObject({
      name: 'RenditionProblem',
      message: 'making the renditions took longer than 10 s',
    });
    expect((await thread.make({ path: good })).durationSeconds).toBe(3);
  });

  it('rejects open requests when it is closed', async () => {
    const thread = start();
    const requests = [thread.make({ path: good }), thread.make({ path: good })];
    const ended = Promise.allSettled(requests);
    await thread.close();
    for (const result of await ended) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { name: 'Error', message: CLOSED },
      });
    }
    await expect(thread.make({ path: good })).rejects.toThrow(CLOSED);
  });

  it('needs no more memory for an hour than for five minutes', async () => {
    const thread = start();
    const short = await peakOf(() => thread.make({ path: longFile('minutes.wav', 300) }));
    const long = await peakOf(() => thread.make({ path: longFile('hour.wav', 3600) }));
    expect(long.result.durationSeconds).toBe(3600);
    // 158,760,000 samples in bins of 1,024.
    expect(long.result.waveformDat).toHaveLength(24 + 2 * Math.ceil((3600 * 44_100) / 1024));
    // As floats, the samples would take 635 MB.
    expect(long.megabytes - short.megabytes).toBeLessThan(100);
  });

  it('reads a file with a large chunk that is not audio', async () => {
    const otherChunk = chunk('LIST', Buffer.alloc(20_000_001));
    const path = folder.write('chunk.wav', wavFile([tone(3, 44_100)], { otherChunk }));
    const thread = start();
    expect(bytesOf(await thread.make({ path }))).toEqual(
      bytesOf(await thread.make({ path: good })),
    );
    expect(readFileSync(path)).toHaveLength(readFileSync(good).length + 20_000_010);
  });
});
