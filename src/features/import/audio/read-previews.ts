import { open, readFile } from 'node:fs/promises';
import { isObject } from '../../../common/text/json.ts';
import type { Waveform } from '../../../engines/audio/analysis.ts';
import { RenditionProblem } from '../../../engines/audio/audio-block.ts';
import { audioFormat, FORMAT_BYTES } from '../../../engines/audio/audio-format.ts';
import { FileSource, viewOf } from '../../../engines/audio/byte-source.ts';
import { decode, skipId3 } from '../../../engines/audio/decode.ts';
import { mpegLayer } from '../../../engines/audio/mp3-reader.ts';
import { waveformDat } from '../../renditions/rendition-files.ts';
import { describe } from '../record.ts';
import { FileProblem } from './file-problem.ts';

export interface ReadWaveform {
  dat: Uint8Array;
  /** The length of its pixels. The audio that it shows may be shorter by less than a pixel. */
  durationSeconds: number;
  secondsPerPixel: number;
}

interface CheckedHeader {
  sampleRate: number;
  samplesPerPixel: number;
  length: number;
}

type Header = Record<'version' | 'bits' | 'channels' | keyof CheckedHeader, unknown>;

/** A longer waveform is stored with more samples per pixel, as one that Stave makes. */
const MAX_PIXELS = 200_000;
const MIN_SAMPLES_PER_PIXEL = 512;
const MAX_INT32 = 2 ** 31 - 1;

/**
 * Reads audiowaveform data of version 1 or 2, with 8 bits and one channel. Throws FileProblem if the file has another
 * form. The caller limits its size.
 */
export async function readWaveform(path: string, form: 'dat' | 'json'): Promise<ReadWaveform> {
  const bytes = await readFile(path);
  const waveform = form === 'dat' ? parseDat(bytes) : parseJson(bytes);
  const { sampleRate, samplesPerPixel, data } = waveform;
  const secondsPerPixel = samplesPerPixel / sampleRate;
  const durationSeconds = ((data.length / 2) * samplesPerPixel) / sampleRate;
  return { dat: waveformDat(shortened(waveform)), durationSeconds, secondsPerPixel };
}

function parseDat(bytes: Uint8Array): Waveform {
  const view = viewOf(bytes);
  const version = bytes.length < 4 ? undefined : view.getInt32(0, true);
  const headerBytes = version === 1 ? 20 : 24;
  if (bytes.length < headerBytes) {
    throw new FileProblem(`must be audiowaveform data; it ends within its header`);
  }
  const flags = view.getUint32(4, true);
  const header = checkedHeader({
    version,
    bits: flags === 1 ? 8 : flags === 0 ? 16 : `unknown (flags ${flags})`,
    channels: version === 1 ? 1 : view.getInt32(20, true),
    sampleRate: view.getInt32(8, true),
    samplesPerPixel: view.getInt32(12, true),
    length: view.getUint32(16, true),
  });
  const data = bytes.subarray(headerBytes);
  checkCount(data.length, header);
  return { ...header, data: new Int8Array(data.buffer, data.byteOffset, data.length) };
}

/** Parses the list of numbers without `JSON.parse`, which would need up to 30 times the memory of a hostile file. */
function parseJson(bytes: Buffer): Waveform {
  const text = bytes.toString();
  const list = listOfNumbers(text);
  const given = membersOf(
    list === undefined ? text : `${text.slice(0, list.start)}"${PLACE}"${text.slice(list.end)}`,
  );
  const header = checkedHeader({
    // The first releases of audiowaveform wrote no version and no channels.
    version: given.version ?? 1,
    channels: given.channels ?? 1,
    bits: given.bits,
    sampleRate: given.sample_rate,
    samplesPerPixel: given.samples_per_pixel,
    length: given.length,
  });
  if (list === undefined || given.data !== PLACE) {
    throw new FileProblem('must have a list of numbers in data');
  }
  const numbers = text.slice(list.start + 1, list.end - 1);
  checkCount(countOf(numbers), header);
  return { ...header, data: parseNumbers(numbers, 2 * header.length) };
}

/** Takes the place of the list when the other members are parsed. */
const PLACE = 'the numbers';
/** The members besides the list have a hundred characters. */
const MAX_OTHERS = 16 * 1024;
const LIST = /"data"[ \t\r\n]*:[ \t\r\n]*\[/y;
const NUMBER = /[ \t\r\n]*(-?(?:0|[1-9]\d{0,2}))[ \t\r\n]*(?:,|$)/y;

/** Where the list of the first member `data` begins and ends, with its brackets; undefined if there is none. */
function listOfNumbers(text: string): { start: number; end: number } | undefined {
  LIST.lastIndex = Math.max(0, text.indexOf('"data"'));
  const start = LIST.test(text) ? LIST.lastIndex - 1 : -1;
  const end = start < 0 ? 0 : text.indexOf(']', start) + 1;
  return end > 0 ? { start, end } : undefined;
}

function membersOf(others: string): Record<string, unknown> {
  const fault = (what: string) => new FileProblem(`must be audiowaveform data; it ${what}`);
  if (others.length > MAX_OTHERS) throw fault('has too much besides its list of numbers');
  let value: unknown;
  try {
    value = JSON.parse(others);
  } catch {
    throw fault('is not JSON');
  }
  if (!isObject(value)) throw fault('is not a JSON object');
  return value as Record<string, unknown>;
}

function countOf(numbers: string): number {
  let count = /[^ \t\r\n]/.test(numbers) ? 1 : 0;
  for (let at = numbers.indexOf(','); at >= 0; at = numbers.indexOf(',', at + 1)) count++;
  return count;
}

/** Parses whole numbers from -128 to 127 in the form of JSON, with commas between them. */
function parseNumbers(numbers: string, count: number): Int8Array {
  const data = new Int8Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    NUMBER.lastIndex = at;
    const value = Number(NUMBER.exec(numbers)?.[1] ?? Number.NaN);
    if (!(value >= -128 && value <= 127)) {
      const entry = numbers.slice(at).trimStart().slice(0, 40).split(',', 1)[0]!.trim();
      throw new FileProblem(
        `must have whole numbers from -128 to 127 in data; entry ${i + 1} is ${describe(entry)}`,
      );
    }
    data[i] = value;
    at = NUMBER.lastIndex;
  }
  return data;
}

function checkedHeader(header: Header): CheckedHeader {
  const { sampleRate, samplesPerPixel, length } = header;
  const check = (isRight: boolean, rule: string, value: unknown) => {
    if (!isRight) {
      throw new FileProblem(`must be audiowaveform data ${rule}; it has ${describe(value)}`);
    }
  };
  check(header.version === 1 || header.version === 2, 'of version 1 or 2', header.version);
  check(header.bits === 8, 'with 8 bits', header.bits);
  check(header.channels === 1, 'with one channel', header.channels);
  check(isWhole(sampleRate, 1, MAX_INT32), 'with a sample rate above 0', sampleRate);
  check(
    isWhole(samplesPerPixel, MIN_SAMPLES_PER_PIXEL, MAX_INT32) &&
      Number.isInteger(Math.log2(samplesPerPixel / MIN_SAMPLES_PER_PIXEL)),
    'with 512, 1024, 2048 … (512·2^k) samples per pixel',
    samplesPerPixel,
  );
  check(isWhole(length, 1, MAX_INT32), 'with a length above 0', length);
  return { sampleRate, samplesPerPixel, length } as CheckedHeader;
}

/** Two values for each pixel, and nothing after them. */
function checkCount(values: number, { length }: CheckedHeader): void {
  if (values !== 2 * length) {
    throw new FileProblem(
      `must have ${2 * length} values, two for each of the ${length} pixels of its header; it has ${values}`,
    );
  }
}

function isWhole(value: unknown, least: number, greatest: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= greatest;
}

/** The same waveform with at most MAX_PIXELS: two pixels become one until it has so few. */
function shortened({ sampleRate, samplesPerPixel, data }: Waveform): Waveform {
  if (data.length <= 2 * MAX_PIXELS) {
    return { sampleRate, samplesPerPixel, data };
  }
  const half = new Int8Array(2 * Math.ceil(data.length / 4));
  for (let i = 0; i < half.length; i += 2) {
    // The last pixel may have no partner.
    const next = 2 * i + 2 < data.length ? 2 * i + 2 : 2 * i;
    half[i] = Math.min(data[2 * i]!, data[next]!);
    half[i + 1] = Math.max(data[2 * i + 1]!, data[next + 1]!);
  }
  return shortened({ sampleRate, samplesPerPixel: 2 * samplesPerPixel, data: half });
}

const MAX_SECONDS = 60;
/** What an encoder may add to 60 s of sound: its delay, and the padding of the last frame. */
const ENCODER_SECONDS = 0.1;

/**
 * Decodes a preview clip, and returns its length in seconds. Throws FileProblem if it is not an MP3, cannot be decoded
 * or is too long. Decodes no more than the longest clip.
 */
export async function readClip(path: string): Promise<number> {
  if (!(await isMp3(path))) {
    throw new FileProblem('must be an MP3 file; it is none');
  }
  let seconds = 0;
  try {
    for await (const { sampleRate, channels } of decode(path, undefined)) {
      seconds += channels[0]!.length / sampleRate;
      if (seconds > MAX_SECONDS + ENCODER_SECONDS) {
        throw new FileProblem(`must be ${MAX_SECONDS} s long at most; it is longer`);
      }
    }
  } catch (error) {
    throw error instanceof RenditionProblem
      ? new FileProblem(`must be an MP3 file that can be decoded: ${error.message}`)
      : error;
  }
  return seconds;
}

/** Whether the content after the tags is that of no other format, nor of another layer of MPEG audio. */
async function isMp3(path: string): Promise<boolean> {
  await using file = await open(path);
  const source = new FileSource(file.fd);
  await skipId3(source);
  const start = source.position;
  const format = audioFormat(await source.read(FORMAT_BYTES), 'mp3');
  source.position = start;
  return format === 'mp3' && (await mpegLayer(source)) === 3;
}
