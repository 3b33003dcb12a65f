import { chmodSync, closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/harness/until.ts';
import { audioFolder, chunk, tone, wavFile } from './audio-files.test-support.ts';
import type { Renditions } from './rendition-files.ts';
import { RenditionThread } from './rendition-thread.ts';

const folder = audioFolder();
const good = folder.write('good.wav', wavFile([tone(3, 44_100)]));
const bad = folder.write('bad.flac', Buffer.from('fLaC'));

/** Enough for long audio, decoded at a low priority beside other tests. */
const SLOW_MACHINE_SECONDS = 1_000;

const CLOSED = 'the renditions were not made: their thread was closed';

const open: RenditionThread[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((thread) => thread.close()));
});

function start(...options: ConstructorParameters<typeof RenditionThread>): RenditionThread {
  const thread = new RenditionThread(...options);
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

/** An Ogg file with Opus whose pages have 255 packets without content, which a decoder conceals as lost ones. */
function emptyOpusPackets(pages: number): Buffer {
  const head = Buffer.from('4f707573486561640102000080bb0000000000', 'hex');
  const tags = Buffer.from('4f70757354616773000000000000000000', 'hex');
  // The first packet decides how long the concealed ones are.
  const sound = oggPage(2, [3], Buffer.from('fcfffe', 'hex'));
  return Buffer.concat([
    oggPage(0, [head.length], head, 2),
    oggPage(1, [tags.length], tags),
    sound,
    ...Array.from({ length: pages }, (_, i) => {
      return oggPage(3 + i, Array(255).fill(0), Buffer.alloc(0));
    }),
  ]);
}

/** A page of Ogg (RFC 3533 §6). */
function oggPage(sequence: number, segments: number[], data: Buffer, flags = 0): Buffer {
  const header = Buffer.alloc(27);
  header.write('OggS');
  header.writeUInt8(flags, 5);
  header.writeUInt32LE(7, 14);
  header.writeUInt32LE(sequence, 18);
  header.writeUInt8(segments.length, 26);
  const page = Buffer.concat([header, Buffer.from(segments), data]);
  let crc = 0;
  for (const byte of page) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  }
  page.writeUInt32LE(crc >>> 0, 22);
  return page;
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

/** Waits until a process has ended. It may remain a zombie, because its thread is gone. */
async function hasEnded(pid: number): Promise<void> {
  await until(
    () =>
      !existsSync(`/proc/${pid}`) ||
      /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
  );
}

describe('a rendition thread', () => {
  it('makes the same bytes again, and in another thread', async () => {
    const thread = start();
    const first = await thread.make({ path: good });
    const second = await thread.make({ path: good });
    const other = await start().make({ path: good });
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
    const pidFile = join(folder.path, 'pid');
    const ffmpeg = folder.write(
      'ffmpeg',
      Buffer.from(`#!/bin/sh\necho $$ >${pidFile}\nexec sleep 600\n`),
    );
    chmodSync(ffmpeg, 0o755);
    const thread = start({ ffmpeg, baseSeconds: 10 });
    const m4a = folder.write('slow.m4a', Buffer.from('\0\0\0\x18ftypM4A ', 'latin1'));
    await expect(thread.make({ path: m4a })).rejects.toMatchObject({
      name: 'RenditionProblem',
      message: 'making the renditions took longer than 10 s',
    });
    await hasEnded(Number(readFileSync(pidFile, 'utf8')));
    expect((await thread.make({ path: good })).durationSeconds).toBe(3);
  });

  it('rejects an open request when it is closed', async () => {
    const thread = start();
    const ended = expect(thread.make({ path: good })).rejects.toMatchObject({
      name: 'Error',
      message: CLOSED,
    });
    await thread.close();
    await ended;
    await expect(thread.make({ path: good })).rejects.toThrow(CLOSED);
  });

  it(
    'needs no more memory for twenty minutes than for five',
    async () => {
      const thread = start({ baseSeconds: SLOW_MACHINE_SECONDS });
      const short = await peakOf(() => thread.make({ path: longFile('five.wav', 300) }));
      const long = await peakOf(() => thread.make({ path: longFile('twenty.wav', 1200) }));
      expect(long.result.durationSeconds).toBe(1200);
      // 52,920,000 samples in bins of 512.
      expect(long.result.waveformDat).toHaveLength(24 + 2 * Math.ceil((1200 * 44_100) / 512));
      // As floats, the samples would take 212 MB.
      expect(long.megabytes - short.megabytes).toBeLessThan(100);
    },
    SLOW_MACHINE_SECONDS * 1_000,
  );

  it(
    'needs little memory for pages of empty packets, each of which gives sound',
    async () => {
      const opus = folder.write('empty-packets.ogg', emptyOpusPackets(100));
      const thread = start({ baseSeconds: SLOW_MACHINE_SECONDS });
      await thread.make({ path: good });
      const before = process.memoryUsage.rss();
      const { result, megabytes } = await peakOf(() => thread.make({ path: opus }));
      expect(result.durationSeconds).toBeGreaterThan(500);
      // Decoded at once, the packets would take 1.1 GB.
      expect(megabytes - before / 1024 / 1024).toBeLessThan(700);
    },
    SLOW_MACHINE_SECONDS * 1_000,
  );

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
