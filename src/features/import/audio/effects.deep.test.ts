import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImportBench, openImportBench } from '../../../../test/harness/import-bench.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { TagReader } from './tag-reader.ts';

let bench: ImportBench;
let reader: TagReader;
beforeEach(async () => {
  bench = await openImportBench();
  reader = new TagReader();
});
afterEach(async () => {
  await reader[Symbol.asyncDispose]();
  await bench.close();
});

type Chunk = readonly [name: string, content: Buffer | string];

function chunk([name, content]: Chunk, isBigEndian = false): Buffer {
  const bytes = Buffer.from(content as string);
  const header = Buffer.alloc(8);
  header.write(name, 'latin1');
  if (isBigEndian) {
    header.writeUInt32BE(bytes.length, 4);
  } else {
    header.writeUInt32LE(bytes.length, 4);
  }
  return Buffer.concat([header, bytes, Buffer.alloc(bytes.length % 2)]);
}

/** A WAV file of a second with chunks before and after its audio. */
function wavWith(before: readonly Chunk[], after: readonly Chunk[] = []): Buffer {
  const plain = wav();
  const file = Buffer.concat([
    plain.subarray(0, 36),
    ...before.map((one) => chunk(one)),
    plain.subarray(36),
    ...after.map((one) => chunk(one)),
  ]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

/** The same as a WAV file of 64 bits, whose sizes are in the chunk `ds64`. */
function longWav(name: 'RF64' | 'BW64', after: readonly Chunk[]): Buffer {
  const ds64 = Buffer.alloc(28);
  ds64.writeBigUInt64LE(16_000n, 8);
  const file = wavWith([], after);
  file.writeUInt32LE(0xffff_ffff, 40);
  const whole = Buffer.concat([file.subarray(0, 12), chunk(['ds64', ds64]), file.subarray(12)]);
  whole.write(name, 0);
  whole.writeUInt32LE(0xffff_ffff, 4);
  return whole;
}

/** An AIFF file of a second of silence. */
function aiff(chunks: readonly Chunk[]): Buffer {
  // 8000 as a number of 80 bits.
  const common = Buffer.from('000100001f400010400bfa00000000000000', 'hex');
  const parts = [['COMM', common], ...chunks, ['SSND', Buffer.alloc(16_008)]] as Chunk[];
  const body = Buffer.concat([Buffer.from('AIFF'), ...parts.map((part) => chunk(part, true))]);
  const head = Buffer.from('FORM\0\0\0\0', 'latin1');
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

function bext({ originator = '', date = '' }: { originator?: string; date?: string }): Chunk {
  const content = Buffer.alloc(602);
  content.write('Waves at a calm beach, at night', 0);
  content.write(originator, 256);
  content.write(date, 320);
  return ['bext', content];
}

const ixml = (sections: string): Chunk => [
  'iXML',
  `<?xml version="1.0" encoding="UTF-8"?>\n<BWFXML><IXML_VERSION>1.61</IXML_VERSION>${sections}</BWFXML>\0\0`,
];
const USER = ixml(
  '<USER><CATEGORY>WATER</CATEGORY><SUBCATEGORY>SURF &amp; WAVES</SUBCATEGORY><CATID>WATRSurf</CATID><USERCATEGORY>Night</USERCATEGORY><FXNAME>Calm Wäves</FXNAME><KEYWORDS>beach, sea; calm,</KEYWORDS><DESCRIPTION>Not a name</DESCRIPTION><LIBRARY>Lib1</LIBRARY><DESIGNER>Ann Weir</DESIGNER></USER>',
);
const ASWG = ixml(
  '<ASWG><contentType>sfx</contentType><category>DOORS</category><subCategory>MISC</subCategory><fxName>Creaky Door</fxName></ASWG>',
);
const genre = (name: string) => ({ type: 'genre', name });

/** Imports one file, and returns its track. */
async function imported(name: string, content: Buffer, options = {}) {
  await bench.write(join('effects', name), content);
  const { rejections } = await bench.run([join(bench.folder, 'effects')], options);
  expect(rejections).toEqual([]);
  const [track] = await bench.tracks();
  return track!;
}
const filtersOf = (track: Record<string, unknown>) =>
  (track.filters as { type: string; name: string }[]).map(({ type, name }) => ({ type, name }));

describe('a sound effect', () => {
  it.each<[string, string, Buffer]>([
    ['WAV', 'a.wav', wavWith([bext({ date: '2024-05-06' })], [USER])],
    ['RF64', 'a.wav', longWav('RF64', [USER, bext({ date: '2024:05:06' })])],
    ['BW64', 'a.wav', longWav('BW64', [bext({ date: '2024/05/06' }), USER])],
    ['AIFF', 'a.aiff', aiff([USER, bext({ date: '2024-05-06' })])],
  ])('in %s is imported with the fields of iXML', async (_, name, content) => {
    const track = await imported(name, content);
    expect(track).toMatchObject({
      name: 'Calm Wäves',
      type: 'sfx',
      durationSeconds: 1,
      releaseDate: '2024-05-06T00:00:00.000Z',
      tags: ['beach', 'sea', 'calm', 'Night', 'WATRSurf'],
      artists: [{ name: 'Ann Weir' }],
    });
    expect(filtersOf(track)).toEqual([genre('Water'), genre('Surf & Waves')]);
  });

  it('is imported with the fields of ASWG, without a category that says nothing', async () => {
    const track = await imported('a.wav', wavWith([ASWG, bext({ originator: 'Bob Low' })]));
    expect(track).toMatchObject({
      name: 'Creaky Door',
      type: 'sfx',
      artists: [{ name: 'Bob Low' }],
    });
    expect(filtersOf(track)).toEqual([genre('Doors')]);
  });

  it('is imported with the fields of Steinberg', async () => {
    const section =
      '<STEINBERG><ATTR_LIST><ATTR><TYPE>string</TYPE><NAME>MediaCategoryPost</NAME><VALUE>Animals</VALUE></ATTR></ATTR_LIST></STEINBERG><USER><CATID>ANMLDog</CATID></USER>';
    const track = await imported(
      'Bark.wav',
      wavWith([ixml(section), bext({ originator: 'REAPER' })]),
    );
    expect(track).toMatchObject({ name: 'Bark', type: 'sfx', artists: [] });
    expect(filtersOf(track)).toEqual([genre('Animals')]);
  });

  it('is recognized by a file name of the Universal Category System', async () => {
    const name = 'WATRSurf-Night_Calm Waves 02_ABC_Lib1.wav';
    expect(await imported(name, wav())).toMatchObject({
      name: 'Calm Waves 02',
      type: 'sfx',
      tags: ['Night', 'WATRSurf'],
    });
  });

  it('has the type that --type names', async () => {
    expect(await imported('a.wav', wavWith([USER]), { type: 'music' })).toMatchObject({
      type: 'music',
      name: 'Calm Wäves',
    });
  });
});

describe('other audio', () => {
  it.each<[string, string, Buffer]>([
    ['a plain file', 'Rain_Loud_ABC_Lib.wav', wav()],
    ['a name with too few parts', 'WATRSurf_Waves.wav', wav()],
    ['a bext chunk alone', 'a.wav', wavWith([bext({ originator: 'Pro Tools' })])],
    [
      'music by its content type',
      'WATRSurf_Waves_ABC_L.wav',
      wavWith([ixml('<ASWG><contentType>mx</contentType></ASWG>')]),
    ],
    ['no CatID', 'a.wav', wavWith([ixml('<USER><CATID>not one</CATID></USER>')])],
    ['an iXML chunk that is not XML', 'a.wav', wavWith([['iXML', '<a><b>']])],
    ['an iXML chunk of another form', 'a.wav', wavWith([['iXML', '<a><USER>x</USER></a>']])],
    [
      'an iXML chunk with entities',
      'a.wav',
      wavWith([['iXML', '<!DOCTYPE a [<!ENTITY b "c">]><a/>']]),
    ],
    ['a short bext chunk', 'a.aiff', aiff([['bext', 'abc']])],
    ['a chunk that is too long', 'a.wav', wavWith([], [['iXML', Buffer.alloc(2 ** 20 + 1, 32)]])],
    [
      'thousands of chunks',
      'a.wav',
      wavWith(
        [],
        Array.from({ length: 3000 }, () => ['abcd', 'x'] as const),
      ),
    ],
  ])('is music: %s', async (_, name, content) => {
    expect(await imported(name, content)).toMatchObject({ type: 'music', durationSeconds: 1 });
  });

  it('is read with the text chunks of AIFF', async () => {
    const track = await imported(
      'a.aif',
      aiff([
        ['NAME', 'Night Rain'],
        ['AUTH', 'Ann Weir'],
      ]),
    );
    expect(track).toMatchObject({ name: 'Night Rain', artists: [{ name: 'Ann Weir' }] });
  });

  it('has no length if it ends before its audio', async () => {
    const path = await bench.write('a.wav', longWav('RF64', []));
    const whole = await reader.read(path);
    expect(whole).toMatchObject({ durationSeconds: 1, effect: undefined });
    const cut = await bench.write('b.wav', longWav('BW64', []).subarray(0, 80));
    expect(await reader.read(cut)).toMatchObject({ durationSeconds: 0 });
  });
});
