import { type AudioTags, type FieldName, fieldsOf, textsOf } from './audio-tags.ts';
import { type Box, boxesIn, boxOf } from './mp4-boxes.ts';
import { NotTaggable } from './splice.ts';

const OWN = '----';
const OWNER = 'com.apple.iTunes';
/** The names of items; those without one of Apple are under `----:com.apple.iTunes:`. */
const ITEMS: Readonly<Record<FieldName, string>> = {
  title: '\xa9nam',
  artists: '\xa9ART',
  isrc: `${OWN}:ISRC`,
  iswc: `${OWN}:ISWC`,
  composers: '\xa9wrt',
  publishers: `${OWN}:PUBLISHER`,
  album: '\xa9alb',
  copyright: 'cprt',
};
const COVER = 'covr';

/** The types of the content of an item. */
const UTF8 = 1;
const PICTURES = { 'image/jpeg': 13, 'image/png': 14 } as const;

/** Returns the content of `moov`, with the items of `udta/meta/ilst` replaced and completed. */
export function taggedMoov(moov: Buffer, tags: AudioTags): Buffer {
  const boxes = boxesIn(moov, 0, moov.length);
  const udta = boxes.find(({ type }) => type === 'udta');
  const others = boxes.filter((box) => box !== udta).map((box) => bytesOf(moov, box));
  return Buffer.concat([...others, boxOf('udta', ...taggedUserData(moov, udta, tags))]);
}

function taggedUserData(moov: Buffer, udta: Box | undefined, tags: AudioTags): Buffer[] {
  const boxes = udta === undefined ? [] : boxesIn(moov, udta.start, udta.end);
  const meta = boxes.find(({ type }) => type === 'meta');
  const others = boxes.filter((box) => box !== meta).map((box) => bytesOf(moov, box));
  return [...others, boxOf('meta', ...taggedMeta(moov, meta, tags))];
}

function taggedMeta(moov: Buffer, meta: Box | undefined, tags: AudioTags): Buffer[] {
  if (meta === undefined) return [Buffer.alloc(4), HANDLER, boxOf('ilst', ...items([], tags))];
  // Files of QuickTime have no version and flags.
  const isFull = moov.toString('latin1', meta.start + 4, meta.start + 8) !== 'hdlr';
  const start = meta.start + (isFull ? 4 : 0);
  const boxes = boxesIn(moov, start, meta.end);
  const handler = boxes.find(({ type }) => type === 'hdlr');
  if (
    handler === undefined ||
    moov.toString('latin1', handler.start + 8, handler.start + 12) !== 'mdir'
  ) {
    throw new NotTaggable('The MP4 file has tags of another kind.');
  }
  const list = boxes.find(({ type }) => type === 'ilst');
  const delivered = (list === undefined ? [] : boxesIn(moov, list.start, list.end)).map((box) => ({
    key: keyOf(moov, box),
    bytes: bytesOf(moov, box),
  }));
  const others = boxes.filter((box) => box !== list).map((box) => bytesOf(moov, box));
  return [moov.subarray(meta.start, start), ...others, boxOf('ilst', ...items(delivered, tags))];
}

const HANDLER = boxOf('hdlr', Buffer.alloc(8), Buffer.from('mdirappl', 'latin1'), Buffer.alloc(9));

interface Item {
  key: string;
  bytes: Buffer;
}

function items(delivered: readonly Item[], tags: AudioTags): Buffer[] {
  const stated = new Set(delivered.map(({ key }) => key));
  const ours: Item[] = fieldsOf(tags).flatMap(({ name, values, replaces }) => {
    const key = ITEMS[name];
    if (!replaces && stated.has(key)) return [];
    return [textItem(key, values.join(', '))];
  });
  ours.push(...textsOf(tags).map(([name, value]) => textItem(`${OWN}:${name}`, value)));
  const { cover } = tags;
  if (cover !== undefined && !stated.has(COVER)) {
    const bytes = boxOf(COVER, dataBox(PICTURES[cover.contentType], cover.bytes));
    ours.push({ key: COVER, bytes });
  }
  const replaced = new Set(ours.map(({ key }) => key));
  const others = delivered.filter(({ key }) => !replaced.has(key));
  return [...ours, ...others].map(({ bytes }) => bytes);
}

/** Returns the name of an item, in upper case if it is not one of Apple. */
function keyOf(moov: Buffer, { type, start, end }: Box): string {
  if (type !== OWN) return type;
  const name = boxesIn(moov, start, end).find((box) => box.type === 'name');
  return `${OWN}:${name === undefined ? '' : moov.toString('utf8', name.start + 4, name.end).toUpperCase()}`;
}

function textItem(key: string, text: string): Item {
  const data = dataBox(UTF8, Buffer.from(text));
  if (!key.startsWith(OWN)) return { key, bytes: boxOf(key, data) };
  const named = (type: string, value: string) => boxOf(type, Buffer.alloc(4), Buffer.from(value));
  const name = key.slice(OWN.length + 1);
  return { key, bytes: boxOf(OWN, named('mean', OWNER), named('name', name), data) };
}

function dataBox(type: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(type);
  return boxOf('data', head, content);
}

function bytesOf(moov: Buffer, { at, end }: Box): Buffer {
  return moov.subarray(at, end);
}
