import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../../test/harness/test-random.ts';
import { wavFile } from '../../../features/renditions/audio-files.test-support.ts';
import { id3Tag } from './id3.ts';
import { pagesOf, readPage, sizeOfPage } from './ogg-pages.ts';
import { planTags } from './plan-tags.ts';
import { inMemory, readTagged, TAGS, tagged } from './tagged-file.test-support.ts';
import { writeComments } from './vorbis-comments.ts';

const SAMPLES = Float32Array.from({ length: 999 }, (_, i) => Math.sin(i / 9));
/** Its sizes are right, unlike those of `wavFile`. */
function wav(): Buffer {
  const file = wavFile([SAMPLES], { bits: 8 });
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

describe('an ID3v2.4 tag', () => {
  it('is made of the same bytes for the same values, and is read back', async () => {
    const tag = id3Tag(TAGS);
    expect(id3Tag({ ...TAGS })).toEqual(tag);
    const { common, native } = await parseBuffer(
      Buffer.concat([tag, Buffer.alloc(4_000)]),
      'audio/mpeg',
    );
    expect(common).toMatchObject({
      title: TAGS.title,
      artists: TAGS.artists,
      isrc: ['QZES72400137'],
      composer: TAGS.composers,
    });
    const frames = native['ID3v2.4']!;
    expect(frames).toContainEqual({ id: 'WCOP', value: TAGS.licenseUrl });
    expect(frames).toContainEqual({ id: 'TXXX:LICENSEE', value: 'Lighthouse Film GmbH' });
  });

  it('has no control characters, and no frames without a value', async () => {
    const tag = id3Tag({ title: 'a\0b\nc', artists: [], isrc: '' });
    const { common } = await parseBuffer(Buffer.concat([tag, Buffer.alloc(4_000)]), 'audio/mpeg');
    expect(common.title).toBe('a b c');
    expect(tag.includes('TPE1')).toBe(false);
    expect(tag.includes('TSRC')).toBe(false);
  });
});

describe('the tags of a WAV file', () => {
  it('are in each of its places, around the same audio', async () => {
    const delivered = wav();
    const file = await tagged(delivered, 'wav');
    const data = file.indexOf('data');
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    const audio = delivered.subarray(delivered.indexOf('data'));
    expect(file.subarray(data, data + 8 + 999)).toEqual(audio.subarray(0, 8 + 999));
    expect(file.indexOf('bext')).toBeLessThan(data);
    for (const chunk of ['LIST', 'iXML', 'id3 ']) expect(file.indexOf(chunk)).toBeGreaterThan(data);
    expect(file.includes('<TITLE>Björk &amp; 夜 &lt;Ferry&gt;</TITLE>')).toBe(true);
    expect(file.includes('Mara Lindt, Second - Bjork & ? <Ferry>')).toBe(true);
  });

  it('fill only what a chunk bext leaves empty, and keep other texts', async () => {
    const bext = Buffer.alloc(602);
    bext.write('Their description');
    const chunks = Buffer.concat([
      Buffer.from('bext\x5a\x02\0\0', 'latin1'),
      bext,
      Buffer.from('LIST\x12\0\0\0INFOIGNR\x05\0\0\0Folk\0\0', 'latin1'),
    ]);
    const delivered = wavFile([SAMPLES], { bits: 8, otherChunk: chunks });
    const file = await tagged(delivered, 'wav');
    const at = file.indexOf('bext') + 8;
    expect(file.toString('latin1', at, at + 20)).toBe('Their description\0\0\0');
    expect(file.toString('latin1', at + 288, at + 300)).toBe('QZES72400137');
    expect(file.includes('IGNR')).toBe(true);
    expect(file.indexOf('bext')).toBe(file.lastIndexOf('bext'));
  });

  it('make an RF64 file of one that grows beyond 4 GiB', async () => {
    const head = wav().subarray(0, 44);
    const size = 2 ** 32 - 200;
    head.writeUInt32LE(size - 44, 40);
    head.writeUInt32LE(size - 8, 4);
    const file = {
      sizeBytes: size,
      read: async (offset: number, length: number) =>
        Buffer.concat([head.subarray(offset, offset + length), Buffer.alloc(length)]).subarray(
          0,
          Math.min(length, size - offset),
        ),
    };
    const plan = (await planTags(file, 'wav', TAGS))!;
    const start = Buffer.concat(
      plan.segments.filter((one) => one instanceof Uint8Array).slice(0, 2),
    );
    expect(start.toString('latin1', 0, 16)).toBe('RF64\xff\xff\xff\xffWAVEds64');
    expect(start.readBigUInt64LE(20)).toBe(BigInt(plan.sizeBytes - 8));
    expect(start.readBigUInt64LE(28)).toBe(BigInt(size - 44));
  });
});

/** An Opus file with one packet. Its audio need not be decoded. */
function opus(): Buffer {
  const page = (sequence: number, packet: Buffer) => pagesOf([packet], { serial: 7, sequence });
  const comments = writeComments({
    vendor: Buffer.from('v'),
    comments: [Buffer.from('ARTIST=Old')],
  });
  return Buffer.concat([
    ...page(0, Buffer.from('OpusHead\x01\x01\0\0\0\0\0\0\0\0\0', 'latin1')),
    ...page(1, Buffer.concat([Buffer.from('OpusTags'), comments])),
    ...page(2, Buffer.alloc(300, 5)),
    ...page(3, Buffer.alloc(9, 6)),
  ]);
}

describe('the tags of an Ogg file', () => {
  it('take more pages, and the later ones are renumbered', async () => {
    const cover = { contentType: 'image/png', bytes: Buffer.alloc(200_000) } as const;
    const file = await tagged(opus(), 'opus', { ...TAGS, cover });
    const numbers: number[] = [];
    for (let at = 0; at < file.length; ) {
      const page = await readPage(inMemory(file), at);
      numbers.push(page.sequence);
      at += sizeOfPage(page);
    }
    expect(numbers.length).toBeGreaterThan(6);
    expect(numbers).toEqual(numbers.map((_, i) => i));
    expect(file.includes('ARTIST=Mara Lindt')).toBe(true);
    expect(file.includes('ARTIST=Old')).toBe(false);
  });
});

describe('a file that is not as its format says', () => {
  /** Small files of each format; the engine must not trust any of their bytes. */
  const FILES: Readonly<Record<string, Buffer>> = {
    wav: wav(),
    opus: opus(),
    mp3: Buffer.concat([id3Tag(TAGS), Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]),
    flac: Buffer.concat([
      Buffer.from('fLaC\0\0\0\x22', 'latin1'),
      Buffer.alloc(34, 1),
      Buffer.from('\x84\0\0\x0c\x01\0\0\0v\0\0\0\0\0\0\0', 'latin1'),
      Buffer.from([0xff, 0xf8, 1, 2, 3, 4]),
    ]),
    m4a: Buffer.concat([
      Buffer.from(
        '\0\0\0\x10ftypM4A \0\0\0\0\0\0\0\x10moov\0\0\0\x08udta\0\0\0\x0cmdat1234',
        'latin1',
      ),
    ]),
    aiff: Buffer.from('FORM\0\0\0\x1aAIFFSSND\0\0\0\x0e\0\0\0\0\0\0\0\0abcdef', 'latin1'),
  };

  it.each(Object.keys(FILES))('is never read beyond its end: %s', async (extension) => {
    const whole = FILES[extension]!;
    expect(await planTags(inMemory(whole), extension, TAGS)).toBeDefined();
    const random = testRandom(`tags of ${extension}`);
    for (let run = 0; run < 300; run++) {
      const broken = Buffer.from(whole.subarray(0, random.integer(1, whole.length)));
      for (let i = 0; i < 3; i++)
        broken[random.integer(0, broken.length - 1)] = random.integer(0, 255);
      const plan = await planTags(inMemory(broken), extension, TAGS);
      if (plan === undefined) continue;
      expect(await readTagged(plan, broken)).toHaveLength(plan.sizeBytes);
    }
  });
});
