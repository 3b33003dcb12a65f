import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { StaveError, unavailable } from '../../../common/errors.ts';
import { decodableFormats } from '../../../engines/audio/audio-format.ts';
import type { AudioLength } from '../../../engines/audio/mp3/encode-mp3.ts';
import {
  infoFrame,
  type Mp3Kbps,
  mp3Bytes,
  mp3Rate,
  mp3Samples,
} from '../../../engines/audio/mp3/mp3-layout.ts';
import { extensionOf } from '../../../engines/blobs/content-types.ts';
import type { ByteRange, MediaStore } from '../../../engines/blobs/media-store.ts';
import type { ConversionTarget } from '../../media/conversions.ts';
import type { RenditionName } from '../rendition.ts';
import type { KnownStream, StreamStore } from '../store/stream-store.ts';
import type { Encodings } from './encodings.ts';
import type { GrowingFile } from './growing-file.ts';
import { recipeOf, type StreamSource, streamFile, streamName } from './stream-name.ts';

/** How long a request waits for bytes that are not made yet. */
const WAIT_MS = 10_000;
const RETRY_SECONDS = 5;
/** The most requests that wait in this thread. */
const MAX_WAITING = 200;
/** How often streams that other nodes make are looked up. */
const POLL_MS = 250;
/** How long the nodes that decode are remembered. */
const NODES_MS = 5_000;

/** The bytes of a stream, with what precedes them. */
export interface StreamBytes {
  /** Strong, with its quotes. */
  etag: string;
  /** Whether it was made when it was looked up. */
  isMade: boolean;
  /** What precedes the stream, and its first bytes if they are known before it is made. */
  head: Buffer;
  sizeBytes(): Promise<number>;
  /** Throws `unavailable` if the first byte of the range is not there after 10 seconds. */
  open(range?: ByteRange): Promise<Readable>;
}

export interface StreamsOptions {
  kbps: Mp3Kbps;
  store: Pick<StreamStore, 'known' | 'use' | 'request' | 'nodes'>;
  media: Pick<MediaStore, 'openDerived'>;
  /** Undefined if this node encodes nothing. */
  encodings: Pick<Encodings, 'begin' | 'running'> | undefined;
  ffmpeg: () => Promise<string | undefined>;
}

/** Files of audio in another format, which are sent while they are made if their length is known. */
export class Streams {
  readonly #options: StreamsOptions;
  #waiting = 0;
  #decoded: { until: number; ours: readonly string[]; all: readonly string[] } | undefined;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /** Returns what is known of the file of audio, without making it. */
  async look(
    source: StreamSource,
    target: ConversionTarget,
  ): Promise<{ bytes: number | undefined; failure: string | undefined }> {
    const { known, bytes } = await this.#find(source, target);
    return { bytes, failure: known?.state === 'failed' ? known.error! : undefined };
  }

  /**
   * Returns the file of audio, after a prefix such as a tag. The entity tag and the length are the same before and after
   * it is made. Returns undefined if no node of this service can make it. Throws `unavailable` if the length of the
   * file is not known and making it takes longer than 10 seconds.
   */
  async open(
    source: StreamSource,
    target: ConversionTarget,
    prefix: Uint8Array = NOTHING,
  ): Promise<StreamBytes | undefined> {
    const { known, bytes: length, name, first } = await this.#find(source, target);
    if (known?.isStale) await unlessAway(this.#options.store.use(name));
    const wanted = { name, format: known?.format ?? extensionOf(source.audioKey) };
    if (known?.state === 'failed') return undefined;
    if (known?.state !== 'done' && !(await this.#nodesMake(wanted))) return undefined;
    const bytes = length ?? (await this.#madeBytes(wanted));
    if (bytes === undefined) return undefined;
    const size = prefix.length + bytes;
    const head = Buffer.concat([prefix, first]);
    return {
      etag: `"${hash('sha256', Buffer.concat([Buffer.from(streamFile(name)), prefix]))}"`,
      isMade: known?.state === 'done',
      head,
      sizeBytes: async () => size,
      open: async ({ start, end } = { start: 0, end: size - 1 }) => {
        const begin = head.subarray(start, end + 1);
        if (end < head.length) {
          // Players read the first bytes, and then the others.
          if (known?.state !== 'done') await this.#begin(wanted);
          return Readable.from([begin], { objectMode: false });
        }
        const from = Math.max(start, head.length) - prefix.length;
        const rest = await this.#read(wanted, { start: from, end: end - prefix.length });
        return begin.length === 0
          ? rest
          : Readable.from(joined(begin, rest), { objectMode: false });
      },
    };
  }

  /** Looks a stream up, and computes what its bytes say before it is made. */
  async #find(source: StreamSource, target: ConversionTarget): Promise<Found> {
    const { format } = target;
    const kbps = (format === 'mp3' && target.kbps) || this.#options.kbps;
    const recipe = recipeOf(source, format === 'mp3' ? { format, kbps } : { format });
    const name = streamName(source.audioKey, recipe);
    const known = await unlessAway(this.#options.store.known(name));
    const { bytes, first } = await layoutOf(target, kbps, recipe.length);
    return { known, name, first, bytes: known?.file?.sizeBytes ?? bytes };
  }

  /** Throws `unavailable` if the first byte is not there in time. */
  async #read(wanted: Wanted, range: ByteRange): Promise<Readable> {
    const { media, encodings } = this.#options;
    if (this.#waiting >= MAX_WAITING) throw beingMade();
    this.#waiting++;
    try {
      const open = () => media.openDerived(streamFile(wanted.name), range);
      const running = encodings?.running(wanted.name);
      // What ran may have been kept meanwhile.
      const known = (await running?.open(range, WAIT_MS)) ?? (await open());
      if (known !== undefined) return known;
      const made = running === undefined ? await this.#make(wanted, range, open) : undefined;
      if (made === undefined) throw beingMade();
      return made;
    } finally {
      this.#waiting--;
    }
  }

  async #make(
    wanted: Wanted,
    range: ByteRange,
    open: () => Promise<Readable | undefined>,
  ): Promise<Readable | undefined> {
    const file = await this.#begin(wanted);
    if (file === 'busy') return undefined;
    if (file === 'elsewhere') return within(WAIT_MS, open);
    return (await file.open(range, WAIT_MS)) ?? open();
  }

  /** Begins to encode a stream on this node, and returns its file. If that is not possible, requests it of all nodes. */
  async #begin({ name, format }: Wanted): Promise<GrowingFile | 'busy' | 'elsewhere'> {
    const { encodings, store } = this.#options;
    const { ours } = await this.#formats();
    const isOurs = ours.includes(format);
    const file = isOurs ? encodings?.begin(name) : undefined;
    if (file !== undefined) return file;
    await store.request([name]);
    return isOurs ? 'busy' : 'elsewhere';
  }

  /** Returns the length of a stream after it is made; undefined if it cannot be made. */
  async #madeBytes(wanted: Wanted): Promise<number | undefined> {
    await this.#begin(wanted);
    const ended = await within(WAIT_MS, async () => {
      const known = await this.#options.store.known(wanted.name);
      return known?.state === 'done' || known?.state === 'failed' ? known : undefined;
    });
    if (ended === undefined) throw beingMade();
    return ended.file?.sizeBytes;
  }

  /** Whether a node of this service makes the stream. */
  async #nodesMake({ format }: Wanted): Promise<boolean> {
    const { ours, all } = await this.#formats();
    return ours.includes(format) || all.includes(format);
  }

  /** The formats that this node and all nodes decode. */
  async #formats(): Promise<{ ours: readonly string[]; all: readonly string[] }> {
    const { store, ffmpeg, encodings } = this.#options;
    if (this.#decoded !== undefined && performance.now() < this.#decoded.until)
      return this.#decoded;
    const ours = encodings === undefined ? [] : decodableFormats((await ffmpeg()) !== undefined);
    const nodes = (await unlessAway(store.nodes())) ?? [];
    const all = nodes.flatMap(({ formats }) => formats);
    this.#decoded = { ours, all, until: performance.now() + NODES_MS };
    return this.#decoded;
  }
}

const NOTHING = new Uint8Array(0);

interface Found {
  known: KnownStream | undefined;
  name: RenditionName;
  /** The first bytes, as far as they are known before it is made. */
  first: Uint8Array;
  /** The length; undefined if only making it tells it. */
  bytes: number | undefined;
}

interface Wanted {
  name: RenditionName;
  /** What a node must decode to make it. */
  format: string;
}

/** Streams continue while the database is away. */
async function unlessAway<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StaveError && error.kind === 'unavailable') return undefined;
    throw error;
  }
}

function beingMade(): StaveError {
  return unavailable('The stream is being made; try again.', RETRY_SECONDS);
}

/** Repeats a look-up until it finds something, for at most this time. */
async function within<T>(ms: number, find: () => Promise<T | undefined>): Promise<T | undefined> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await find();
    if (found !== undefined || performance.now() > deadline) return found;
    await sleep(POLL_MS);
  }
}

/** What follows from the length of audio. */
async function layoutOf(
  target: ConversionTarget,
  kbps: Mp3Kbps,
  length: AudioLength | undefined,
): Promise<Pick<Found, 'first' | 'bytes'>> {
  if (length === undefined || target.format === 'flac') return { first: NOTHING, bytes: undefined };
  const { samples, sampleRate } = length;
  if (target.format === 'wav') {
    // Few services sell licenses.
    const { wavBytes, wavHead } = await import('../../../engines/audio/lossless/encode-wav.ts');
    const { samples: format } = target;
    return { first: wavHead(format, samples), bytes: wavBytes(format, samples) };
  }
  return {
    first: infoFrame(mp3Samples(samples, sampleRate), kbps, mp3Rate(sampleRate)),
    bytes: mp3Bytes(samples, sampleRate, kbps),
  };
}

async function* joined(first: Uint8Array, rest: Readable): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
