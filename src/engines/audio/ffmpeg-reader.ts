import { spawn } from 'node:child_process';
import { type AudioBlock, RenditionProblem } from './audio-block.ts';
import { StreamSource } from './byte-source.ts';
import { readWav } from './pcm-readers.ts';

/** The names of demuxers of ffmpeg. */
export type FfmpegFormat = 'aac' | 'mov' | 'matroska' | 'flac' | 'ogg' | 'wav';

const MAX_CPU_SECONDS = 1800;
/** Of one allocation. */
const MAX_ALLOCATION_BYTES = 128 * 1024 * 1024;
const MAX_MESSAGE_LENGTH = 2000;

/**
 * Decodes the first audio stream of a file. Stave must have chosen the path. The demuxer is fixed, so that a playlist
 * cannot pass as audio, and so are the protocols, so that the file cannot name a file elsewhere. Throws a RenditionProblem.
 */
export async function* readWithFfmpeg(
  ffmpeg: string,
  format: FfmpegFormat,
  path: string,
): AsyncGenerator<AudioBlock> {
  const startedAt = performance.now();
  const child = spawn(ffmpeg, ffmpegArguments(format, path), {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without the secrets of this process.
    env: {},
    shell: false,
    // Signals to the group of this process, such as Ctrl-C in a terminal, are for this process to handle. If it is
    // killed, ffmpeg ends when it writes.
    detached: true,
  });
  let message = '';
  child.stderr.on('data', (chunk: Buffer) => {
    message = `${message}${chunk.toString('utf8')}`.slice(-MAX_MESSAGE_LENGTH);
  });
  const ended = new Promise<End | Error>((resolve) => {
    child.on('error', resolve).on('close', (code, signal) => resolve({ code, signal }));
  });
  const source = new StreamSource(child.stdout);
  let hasBlocks = false;
  let isWhole = false;
  try {
    for await (const block of readWav(source)) {
      hasBlocks = true;
      yield block;
    }
    // ffmpeg may write more than its header says, and waits until that is read.
    await source.skip(Number.MAX_SAFE_INTEGER);
    isWhole = true;
  } catch (error) {
    // ffmpeg writes nothing if it fails; its message says why.
    isWhole = child.pid === undefined || child.stdout.readableEnded;
    if (hasBlocks || !isWhole) throw error;
  } finally {
    // Also runs when the caller needs no more. After all output, the exit of ffmpeg says whether that was the whole audio.
    if (!isWhole) child.kill('SIGKILL');
  }
  const end = await ended;
  if (end instanceof Error) throw new RenditionProblem('ffmpeg cannot be started', 'format');
  if (end.code !== 0 || !hasBlocks) {
    const seconds = (performance.now() - startedAt) / 1_000;
    throw problemOf(end, seconds, lastLine(message, path));
  }
}

interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The signals to a program that fails. Others, such as the one of the OOM killer, have other causes. */
const CRASHES: readonly (string | null)[] = [
  ...['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGSYS', 'SIGTRAP'],
];
/** The exit code of ffmpeg after SIGTERM, SIGINT and SIGXCPU, about which it prints nothing at this log level. */
const AFTER_SIGNAL = 255;
/** In less time, ffmpeg cannot reach its limit of CPU time on the cores that it uses. */
const MIN_SECONDS_TO_LIMIT = MAX_CPU_SECONDS / 8;

function problemOf({ code, signal }: End, seconds: number, message: string): RenditionProblem {
  if (signal === 'SIGXCPU') {
    return new RenditionProblem(`decoding takes more than ${MAX_CPU_SECONDS} s of a processor`);
  }
  if (CRASHES.includes(signal)) {
    return new RenditionProblem(`ffmpeg crashed (${signal})${message}`, 'thread');
  }
  if (signal !== null || (code === AFTER_SIGNAL && message === '')) {
    // The limit of CPU time also ends ffmpeg in this way.
    const kind = seconds < MIN_SECONDS_TO_LIMIT ? 'interrupted' : 'thread';
    return new RenditionProblem('ffmpeg was ended before it had decoded the file', kind);
  }
  return new RenditionProblem(`ffmpeg cannot decode the file${message}`);
}

function ffmpegArguments(format: FfmpegFormat, path: string): string[] {
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1'],
    ...['-timelimit', String(MAX_CPU_SECONDS), '-max_alloc', String(MAX_ALLOCATION_BYTES)],
    ...['-protocol_whitelist', 'file,pipe', '-f', format, '-i', `file:${path}`],
    ...['-map', '0:a:0', '-map_metadata', '-1', '-threads', '1', '-c:a', 'pcm_f32le'],
    ...['-fflags', '+bitexact', '-flags:a', '+bitexact', '-f', 'wav', 'pipe:1'],
  ];
}

function lastLine(message: string, path: string): string {
  const line = message.trim().split('\n').at(-1) ?? '';
  const text = line
    .replaceAll(`file:${path}`, 'the file')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, 200);
  return text === '' ? '' : `: ${text}`;
}
