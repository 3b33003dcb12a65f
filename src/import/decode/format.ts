/** How a catalog file is written. */
export type Format = { kind: 'ndjson' } | { kind: 'json' } | { kind: 'csv'; delimiter: string };

/** What is plain from the first bytes, in order; each would otherwise be reported line by line. */
const OTHER_FILES: readonly (readonly [magic: string, what: string])[] = [
  ['fffe', 'is in UTF-16; save it as UTF-8'],
  ['feff', 'is in UTF-16; save it as UTF-8'],
  ['0000feff', 'is in UTF-32; save it as UTF-8'],
  ['504b0304', 'is a ZIP archive or a spreadsheet; unpack it, or save it as CSV'],
  ['1f8b', 'is compressed twice; unpack it once'],
  ['425a68', 'is compressed with bzip2; unpack it, or use gzip'],
  ['fd377a585a00', 'is compressed with xz; unpack it, or use gzip'],
  ['28b52ffd', 'is compressed with zstd; unpack it, or use gzip'],
  ['25504446', 'is a PDF'],
  ['53514c69746520666f726d6174', 'is an SQLite database; export its tracks as CSV or NDJSON'],
];

/**
 * The format of a file, by its first bytes (unpacked, after any byte order mark) and its name; or
 * one sentence why it is none. `whole` says that the head is the whole file.
 */
export function recogniseFormat(head: Buffer, name: string, whole: boolean): Format | string {
  const hex = head.subarray(0, 16).toString('hex');
  const other = OTHER_FILES.find(([magic]) => hex.startsWith(magic));
  if (other !== undefined) {
    return other[1];
  }
  if (head.subarray(0, 1024).includes(0)) {
    return looksUtf16(head)
      ? 'is in UTF-16; save it as UTF-8'
      : 'is binary: neither NDJSON, JSON nor CSV';
  }
  const text = head.toString('latin1');
  const first = text.trimStart()[0];
  if (first === undefined) {
    return whole ? 'is empty' : 'begins with nothing but blanks';
  }
  const extension = /\.([a-z0-9]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (first === '[') {
    return { kind: 'json' };
  }
  if (extension === 'ndjson' || extension === 'jsonl') {
    return { kind: 'ndjson' };
  }
  if (first === '{') {
    return { kind: holdsObjectLines(text, whole) ? 'ndjson' : 'json' };
  }
  if (extension === 'json' || /^\s*\{/m.test(text)) {
    return { kind: 'ndjson' };
  }
  return { kind: 'csv', delimiter: delimiterOf(text) };
}

/** Text in UTF-16 without a mark: every other byte of Latin text is NUL. */
function looksUtf16(head: Buffer): boolean {
  const sample = head.subarray(0, 256);
  const nulsAt = [0, 0];
  sample.forEach((byte, i) => {
    if (byte === 0) {
      nulsAt[i % 2]!++;
    }
  });
  const [even, odd] = nulsAt as [number, number];
  return Math.max(even, odd) > sample.length * 0.4 && Math.min(even, odd) < sample.length * 0.05;
}

/** Whether the first line is a JSON object by itself, and no object that holds a list of them. */
function holdsObjectLines(text: string, whole: boolean): boolean {
  const trimmed = text.trimStart();
  const end = trimmed.indexOf('\n');
  if (end < 0 && !whole) {
    return false;
  }
  const line = end < 0 ? trimmed : trimmed.slice(0, end);
  let value: object;
  try {
    value = JSON.parse(line);
  } catch {
    // A document spread over lines begins with a line that is no JSON; a bad first record is rarer.
    return /^\{.*"/.test(line) && /^\s*\{.*\}\s*$/m.test(trimmed.slice(line.length));
  }
  return end >= 0 && trimmed.slice(end).trim() !== '' ? true : !holdsRecords(value);
}

function holdsRecords(value: object): boolean {
  if ('name' in value || 'externalId' in value || 'id' in value) {
    return false;
  }
  return Object.values(value).some(
    (inner) =>
      (Array.isArray(inner) && typeof inner[0] === 'object') ||
      (typeof inner === 'object' && inner !== null && !Array.isArray(inner) && holdsRecords(inner)),
  );
}

/** The sign that the heading has most of, commas where there is none. */
function delimiterOf(text: string): string {
  const heading = text
    .trimStart()
    .split(/\r?\n/, 1)[0]!
    .replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((sign) => [sign, heading.split(sign).length] as const);
  return counts.reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

/** The head without a UTF-8 byte order mark. */
export function withoutMark(head: Buffer): Buffer {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.subarray(3) : head;
}
