import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type AudioBlock, RenditionProblem } from './audio-block.ts';
import { StreamSource } from './byte-source.ts';
import { readWav } from './pcm-readers.ts';

/** The formats that ffmpeg decodes, by the names of its demuxers. */
export type FfmpegFormat = 'aac' | 'mov' | 'matroska' | 'flac' | 'ogg';

/** Bounds on ffmpeg itself: the CPU time in seconds, and the bytes of one allocation. */
const MAX_CPU_SECONDS = 1800;
const MAX_ALLOCATION_BYTES = 128 * 1024 * 1024;
const MAX_MESSAGE_LENGTH = 2000;

/**
 * Decodes the first audio stream of a file with ffmpeg. `path` is one that Stave chose, never one from
 * outside. The demuxer is fixed, so that a playlist cannot pass as audio, and so are the protocols, so
 * that the file cannot name another one elsewhere. Throws a RenditionProblem.
 */
export async function* readWithFfmpeg(
  ffmpeg: string,
  format: FfmpegFormat,
  path: string,
): AsyncGenerator<AudioBlock> {
  const startedAt = performance.now();
  const child = spawn(ffmpeg, ffmpegArguments(format, path), {
    stdio: ['ignore', 'pipe', 'pipe'],
    // No secret of this process.
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
    // It may write more than its header said, and would wait for that to be read.
    await source.skip(Number.MAX_SAFE_INTEGER);
    isWhole = true;
  } catch (error) {
    // ffmpeg writes nothing if it fails; its message says why.
    isWhole = child.pid === undefined || child.stdout.readableEnded;
    if (hasBlocks || !isWhole) throw error;
  } finally {
    // Also when the caller needs no more. How ffmpeg ends after it has written all says whether that was the whole audio.
    if (!isWhole) child.kill('SIGKILL');
  }
  const end = await ended;
  if (end instanceof Error) throw new RenditionProblem('ffmpeg cannot be started', 'format');
  if (end.code !== 0 || !hasBlocks) {
    const seconds = (performance.now() - startedAt) / 1_000;
    throw problemOf(end, seconds, lastLine(message, path));
  }
}

/** How a program ended: its exit code, or the signal that ended it. */
interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The signals of the system to a program that fails. Others come from elsewhere, also that of the OOM killer. */
const CRASHES: readonly (string | null)[] = [
  ...['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGSYS', 'SIGTRAP'],
];
/** The exit code of ffmpeg after SIGTERM, SIGINT and SIGXCPU, of which it prints nothing at this log level. */
const AFTER_SIGNAL = 255;
/** A program that runs for a shorter time has not reached its limit of CPU time, on as many cores as ffmpeg uses. */
const MIN_SECONDS_TO_LIMIT = MAX_CPU_SECONDS / 8;

function problemOf({ code, signal }: End, seconds: number, message: string): RenditionProblem {
  if (signal === 'SIGXCPU') {
    return new RenditionProblem(`decoding takes more than ${MAX_CPU_SECONDS} s of a processor`);
  }
  if (CRASHES.includes(signal)) {
    return new RenditionProblem(`ffmpeg crashed (${signal})${message}`, 'thread');
  }
  if (signal !== null || (code === AFTER_SIGNAL && message === '')) {
    // The limit ends ffmpeg in the same way, in the end with SIGKILL.
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

/**
 * The path of ffmpeg by the setting: a path, which is returned as it is, or `off`. Without the setting, the
 * first `ffmpeg` that can be executed in the folders of `searchPath` (the form of PATH). Undefined if
 * renditions are to be made without ffmpeg.
 */
export async function findFfmpeg(
  setting: string | null,
  searchPath: string,
): Promise<string | undefined> {
  if (setting !== null) return setting === 'off' ? undefined : setting;
  // An empty part means the current folder, which must not decide what is executed.
  for (const folder of searchPath.split(delimiter).filter((part) => part !== '')) {
    const path = join(folder, 'ffmpeg');
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
