import { type Decoded, undecoded } from './decoded.ts';
import { decodeJson } from './json-record.ts';
import { setPlace } from './place.ts';
import type { TextDecoding } from './text-decoding.ts';

/** Decodes the member `"17": {…}` of an object of records. */
export function decodeMember(
  bytes: Buffer,
  position: number,
  decodeText: TextDecoding,
  what: 'record',
): Decoded {
  const [, written] = MEMBER_KEY.exec(bytes.toString('latin1')) ?? [];
  const begin = written === undefined ? -1 : bytes.indexOf(COLON, written.length);
  const key = written === undefined ? undefined : keyOfMember(bytes.subarray(0, written.length));
  if (key === undefined || begin < 0) {
    return undecoded(position, 'not valid JSON: a record without a key');
  }
  const record = decodeJson(bytes.subarray(begin + 1), position, decodeText, what);
  if (typeof record.value === 'object' && record.value !== null) {
    setPlace(record.value, {}, key);
  }
  return record;
}

const COLON = 0x3a;
/** A key with the white space before it. */
const MEMBER_KEY = /^(\s*"(?:[^"\\]|\\.){0,1000}")\s*:/s;

function keyOfMember(bytes: Buffer): string | undefined {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
