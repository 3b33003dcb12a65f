import { spawn } from 'node:child_process';
import { type AudioBlock, RenditionProblem } from './audio-block.ts';
import { StreamSource } from './byte-source.ts';
import { readWav } from './wav-reader.ts';

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
  const child = spawn(ffmpeg, ffmpegArguments(format, path), {
    stdio: ['ignore', 'pipe', 'pipe'],
    // No secret of this process.
    env: {},
    shell: false,
  });
  let message = '';
  child.stderr.on('data', (chunk: Buffer) => {
    message = `${message}${chunk.toString('utf8')}`.slice(-MAX_MESSAGE_LENGTH);
  });
  const ended = new Promise<number | Error>((resolve) => {
    child.on('error', resolve).on('close', (code) => resolve(code ?? 1));
  });
  let hasBlocks = false;
  try {
    for await (const block of readWav(new StreamSource(child.stdout))) {
      hasBlocks = true;
      yield block;
    }
  } catch (error) {
    // ffmpeg writes nothing if it fails; its message says why.
    if (hasBlocks) {
      throw error;
    }
  } finally {
    // Also when the caller needs no more.
    child.kill('SIGKILL');
  }
  const code = await ended;
  if (code instanceof Error) {
    throw new RenditionProblem('ffmpeg cannot be started', 'format');
  }
  if (code !== 0 || !hasBlocks) {
    throw new RenditionProblem(`ffmpeg cannot decode the file${lastLine(message, path)}`);
  }
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
