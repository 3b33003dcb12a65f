import { id3Size, synchronized } from '../content.ts';
import type { Id3Frame } from './id3.ts';
import { NotTaggable } from './splice.ts';

const UNSYNCHRONIZED = 0x80;
const EXTENDED = 0x40;
/** The flag of one frame of ID3v2.4. */
const FRAME_UNSYNCHRONIZED = 0x02;

/**
 * Reads the frames of a whole ID3v2 tag, as ID3v2.4 writes them. Throws NotTaggable for a tag of another version, or one
 * whose frames cannot all be read.
 */
export function readId3(tag: Buffer): Id3Frame[] {
  const size = id3Size(tag);
  if (size === 0 || size > tag.length) throw new NotTaggable('The ID3 tag is not complete.');
  const version = tag[3]!;
  const flags = tag[5]!;
  const content = tag.subarray(10, size - ((flags & 0x10) !== 0 ? 10 : 0));
  switch (version) {
    case 4:
      return framesOf(content.subarray(extended4(content, flags)), longFrame4).map((frame) => ({
        ...frame,
        format: frame.format | ((flags & UNSYNCHRONIZED) !== 0 ? FRAME_UNSYNCHRONIZED : 0),
      }));
    case 3: {
      const plain = plainOf(content, flags);
      return renamed3(framesOf(plain.subarray(extended3(plain, flags)), longFrame3));
    }
    case 2:
      // The other flag stands for a compression that was never defined.
      if ((flags & 0x40) !== 0) throw new NotTaggable('The ID3 tag is compressed.');
      return renamed3(framesOf(plainOf(content, flags), shortFrame));
    default:
      throw new NotTaggable(`ID3v2.${version} is not known.`);
  }
}

function plainOf(content: Buffer, flags: number): Buffer {
  return (flags & UNSYNCHRONIZED) === 0 ? content : synchronized(content);
}

type ReadFrame = (bytes: Buffer, at: number) => { frame: Id3Frame; end: number };

/** Reads frames up to the padding. */
function framesOf(bytes: Buffer, read: ReadFrame): Id3Frame[] {
  const frames: Id3Frame[] = [];
  let at = 0;
  while (at < bytes.length && bytes[at] !== 0) {
    const { frame, end } = read(bytes, at);
    if (end > bytes.length || !/^[A-Z][A-Z0-9]{3}$/.test(frame.id)) {
      throw new NotTaggable('A frame of the ID3 tag cannot be read.');
    }
    frames.push(frame);
    at = end;
  }
  return frames;
}

function longFrame4(bytes: Buffer, at: number): { frame: Id3Frame; end: number } {
  const plain = bytes.readUInt32BE(at + 4);
  const seven = synchsafe(bytes, at + 4);
  // Some programs write the sizes of ID3v2.3.
  const isPlain =
    seven === undefined ||
    (!startsFrame(bytes, at + 10 + seven) && startsFrame(bytes, at + 10 + plain));
  return longFrame(bytes, at, isPlain ? plain : seven, bytes[at + 9]!);
}

function longFrame3(bytes: Buffer, at: number): { frame: Id3Frame; end: number } {
  // Compressed, encrypted, or of a group: ID3v2.4 writes each of them in another way.
  if ((bytes[at + 9]! & 0xe0) !== 0) throw new NotTaggable('A frame of the ID3 tag is packed.');
  return longFrame(bytes, at, bytes.readUInt32BE(at + 4), 0);
}

function longFrame(bytes: Buffer, at: number, size: number, format: number) {
  const end = at + 10 + size;
  return {
    frame: { id: bytes.toString('latin1', at, at + 4), format, body: bytes.subarray(at + 10, end) },
    end,
  };
}

/** Reads a frame of ID3v2.2. Those that ID3v2.4 does not have get an id that no reader knows. */
function shortFrame(bytes: Buffer, at: number): { frame: Id3Frame; end: number } {
  const id = bytes.toString('latin1', at, at + 3);
  const end = at + 6 + bytes.readUIntBE(at + 3, 3);
  const body = bytes.subarray(at + 6, end);
  if (id === 'PIC') return { frame: pictureFrame(body), end };
  return { frame: { id: IDS[id] ?? `${id}0`, format: 0, body }, end };
}

/** ID3v2.2 names the format of a picture by three letters. */
function pictureFrame(body: Buffer): Id3Frame {
  const format = body.toString('latin1', 1, 4);
  const type = format === 'JPG' ? 'image/jpeg' : `image/${format.toLowerCase()}`;
  const head = Buffer.concat([body.subarray(0, 1), Buffer.from(`${type}\0`, 'latin1')]);
  return { id: 'APIC', format: 0, body: Buffer.concat([head, body.subarray(4)]) };
}

/** Replaces the frames of ID3v2.3 that have another id in ID3v2.4. */
function renamed3(frames: readonly Id3Frame[]): Id3Frame[] {
  const has = new Set(frames.map(({ id }) => id));
  return frames.map((frame) => {
    const id = NEWER_IDS[frame.id];
    return id === undefined || has.has(id) ? frame : { ...frame, id };
  });
}

/** A year is a complete time in ID3v2.4. */
const NEWER_IDS: Readonly<Record<string, string>> = { TYER: 'TDRC', TORY: 'TDOR', IPLS: 'TIPL' };

/** The ids of ID3v2.3 by those of ID3v2.2. */
const IDS: Readonly<Record<string, string>> = {
  ...{ BUF: 'RBUF', CNT: 'PCNT', COM: 'COMM', CRA: 'AENC', ETC: 'ETCO', EQU: 'EQUA', GEO: 'GEOB' },
  ...{ IPL: 'IPLS', LNK: 'LINK', MCI: 'MCDI', MLL: 'MLLT', POP: 'POPM', REV: 'RVRB', RVA: 'RVAD' },
  ...{ SLT: 'SYLT', STC: 'SYTC', TAL: 'TALB', TBP: 'TBPM', TCM: 'TCOM', TCO: 'TCON', TCR: 'TCOP' },
  ...{ TCP: 'TCMP', TDA: 'TDAT', TDY: 'TDLY', TEN: 'TENC', TFT: 'TFLT', TIM: 'TIME', TKE: 'TKEY' },
  ...{ TLA: 'TLAN', TLE: 'TLEN', TMT: 'TMED', TOA: 'TOPE', TOF: 'TOFN', TOL: 'TOLY', TOR: 'TORY' },
  ...{ TOT: 'TOAL', TP1: 'TPE1', TP2: 'TPE2', TP3: 'TPE3', TP4: 'TPE4', TPA: 'TPOS', TPB: 'TPUB' },
  ...{ TRC: 'TSRC', TRD: 'TRDA', TRK: 'TRCK', TSI: 'TSIZ', TSS: 'TSSE', TT1: 'TIT1', TT2: 'TIT2' },
  ...{ TT3: 'TIT3', TXT: 'TEXT', TXX: 'TXXX', TYE: 'TYER', UFI: 'UFID', ULT: 'USLT', WAF: 'WOAF' },
  ...{ WAR: 'WOAR', WAS: 'WOAS', WCM: 'WCOM', WCP: 'WCOP', WPB: 'WPUB', WXX: 'WXXX' },
};

function extended4(content: Buffer, flags: number): number {
  if ((flags & EXTENDED) === 0) return 0;
  const size = synchsafe(content, 0);
  if (size === undefined || size < 6) throw new NotTaggable('The ID3 tag has a wrong header.');
  return size;
}

function extended3(content: Buffer, flags: number): number {
  return (flags & EXTENDED) === 0 ? 0 : 4 + content.readUInt32BE(0);
}

function synchsafe(bytes: Buffer, at: number): number | undefined {
  const size = bytes.readUInt32BE(at);
  if ((size & 0x8080_8080) !== 0) return undefined;
  return (
    ((size >> 3) & 0xfe0_0000) | ((size >> 2) & 0x1f_c000) | ((size >> 1) & 0x3f80) | (size & 0x7f)
  );
}

/** Whether a frame, the padding or the end is at an offset. */
function startsFrame(bytes: Buffer, at: number): boolean {
  return (
    at === bytes.length ||
    bytes[at] === 0 ||
    /^[A-Z][A-Z0-9]{3}$/.test(bytes.toString('latin1', at, at + 4))
  );
}
