import { type AudioTags, type FieldName, fieldsOf, textsOf } from './audio-tags.ts';
import { NotTaggable } from './splice.ts';

/** A text of the list `INFO`. */
export interface InfoText {
  id: string;
  /** Without the NUL at its end. */
  text: Buffer;
}

/** The list has none for the ISRC, the ISWC and the publisher. */
const INFO_IDS: Readonly<Partial<Record<FieldName, string>>> = {
  title: 'INAM',
  artists: 'IART',
  composers: 'IMUS',
  album: 'IPRD',
  copyright: 'ICOP',
};
const COMMENT = 'ICMT';

/** Reads the content of a chunk `LIST`, from its type `INFO` on. */
export function readInfoList(list: Buffer): InfoText[] {
  const texts: InfoText[] = [];
  for (let at = 4; at + 8 <= list.length; ) {
    const size = list.readUInt32LE(at + 4);
    const content = list.subarray(at + 8, at + 8 + size);
    if (content.length < size) throw new NotTaggable('The list of texts is not complete.');
    const end = content.indexOf(0);
    const text = end < 0 ? content : content.subarray(0, end);
    texts.push({ id: list.toString('latin1', at, at + 4), text });
    at += 8 + size + (size % 2);
  }
  return texts;
}

/** Returns the content of a chunk `LIST` in UTF-8, as most programs read it. */
export function infoList(tags: AudioTags, delivered: readonly InfoText[]): Buffer {
  const stated = new Set(delivered.map(({ id }) => id));
  const ours = fieldsOf(tags).flatMap(({ name, values, replaces }): InfoText[] => {
    const id = INFO_IDS[name];
    if (id === undefined || (!replaces && stated.has(id))) return [];
    return [{ id, text: Buffer.from(values.join(', ')) }];
  });
  const license = licenseLine(tags);
  if (license !== '' && !stated.has(COMMENT)) {
    ours.push({ id: COMMENT, text: Buffer.from(license) });
  }
  const replaced = new Set(ours.map(({ id }) => id));
  const texts = [...ours, ...delivered.filter(({ id }) => !replaced.has(id))];
  const parts = texts.flatMap(({ id, text }) => {
    const header = Buffer.alloc(8);
    header.write(id, 'latin1');
    header.writeUInt32LE(text.length + 1, 4);
    return [header, text, Buffer.alloc(text.length % 2 === 0 ? 2 : 1)];
  });
  return Buffer.concat([Buffer.from('INFO'), ...parts]);
}

function licenseLine(tags: AudioTags): string {
  return textsOf(tags)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
}

/** The fields of `bext` that are filled (EBU Tech 3285): their offset and length. */
const DESCRIPTION = { at: 0, length: 256 };
const ORIGINATOR = { at: 256, length: 32 };
const REFERENCE = { at: 288, length: 32 };
/** The content of `bext` up to the history of its encodings. */
const BEXT_BYTES = 602;

/** Returns the content of a chunk `bext` for a file without one. */
export function broadcastChunk(tags: AudioTags): Buffer {
  return filledBroadcastChunk(Buffer.alloc(BEXT_BYTES), tags);
}

/** Fills the fields of a chunk `bext` that are empty. */
export function filledBroadcastChunk(delivered: Buffer, tags: AudioTags): Buffer {
  if (delivered.length < BEXT_BYTES) throw new NotTaggable('The chunk bext is not complete.');
  const bext = Buffer.from(delivered);
  const { title, artists, publishers = [], isrc = '' } = tags;
  const named = [artists.join(', '), title].filter(Boolean).join(' - ');
  fill(bext, DESCRIPTION, [named, licenseLine(tags)].filter(Boolean).join('; '));
  fill(bext, ORIGINATOR, publishers[0] ?? artists[0] ?? '');
  fill(bext, REFERENCE, isrc);
  return bext;
}

/** The fields are in ASCII. A letter with a mark loses it. */
function fill(bext: Buffer, { at, length }: { at: number; length: number }, text: string): void {
  if (bext.subarray(at, at + length).some((byte) => byte !== 0 && byte !== 0x20)) return;
  const ascii = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^ -~]/gu, '?');
  bext.fill(0, at, at + length);
  bext.write(ascii.slice(0, length), at, 'latin1');
}

const START = '<LICENSE_TERMS>';
const END = '</LICENSE_TERMS>';
const END_OF_ALL = '</BWFXML>';

/** Returns the content of a chunk `iXML`. One that is not in an encoding with ASCII, or does not end, stays as it is. */
export function ixml(tags: AudioTags, delivered: Buffer | undefined): Buffer {
  const fields = fieldsOf(tags).map(({ name, values }) => [name.toUpperCase(), values.join('; ')]);
  const elements = [...fields, ...textsOf(tags)].map(
    ([name, value]) => `<${name}>${escaped(value!)}</${name}>`,
  );
  const ours = Buffer.from(START + elements.join('') + END);
  if (delivered === undefined) {
    const head = '<?xml version="1.0" encoding="UTF-8"?><BWFXML><IXML_VERSION>1.61</IXML_VERSION>';
    return Buffer.concat([Buffer.from(head), ours, Buffer.from(END_OF_ALL)]);
  }
  const others = withoutOurs(delivered);
  const end = others.lastIndexOf(END_OF_ALL);
  if (end < 0) return delivered;
  return Buffer.concat([others.subarray(0, end), ours, others.subarray(end)]);
}

/** Removes the terms of an earlier license. */
function withoutOurs(delivered: Buffer): Buffer {
  const start = delivered.indexOf(START);
  const end = start < 0 ? -1 : delivered.indexOf(END, start);
  if (end < 0) return delivered;
  return Buffer.concat([delivered.subarray(0, start), delivered.subarray(end + END.length)]);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
