/** The messages of ERN that change a catalog. */
const MESSAGES = ['NewReleaseMessage', 'PurgeReleaseMessage'];
const MESSAGE_TAG = new RegExp(`<(?:[\\w.-]{1,100}:)?(?:${MESSAGES.join('|')})\\b`);
/** In the form of the namespaces of DDEX: `43` is ERN 4.3, and `382` ERN 3.8.2. */
const READ = /^(38|4[123])\d?$/;

/** The encodings that DDEX does not permit, by their marks. */
const MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** The element that opens a document. */
interface Root {
  name: string;
  /** The whole tag, or as much of it as there is. */
  tag: string;
}

/**
 * Recognizes a message of DDEX ERN by the first bytes of a file. Returns undefined if it is none, or otherwise `problem`:
 * a sentence if Stave does not read its version.
 */
export function recognizeErn(head: Uint8Array): { problem: string | null } | undefined {
  const utf16 = MARKS[Buffer.from(head.subarray(0, 2)).toString('hex')];
  const root = rootOf(new TextDecoder(utf16 ?? 'latin1').decode(head));
  if (root === undefined || !MESSAGES.includes(root.name)) {
    return undefined;
  }
  if (utf16 !== undefined) {
    return { problem: 'is in UTF-16; save it as UTF-8' };
  }
  const version = versionOf(root.tag);
  if (version === undefined) {
    return { problem: `is a ${root.name} that names no version of DDEX ERN` };
  }
  return READ.test(version)
    ? { problem: null }
    : { problem: `is in DDEX ERN ${spoken(version)}; only 3.8, 4.1, 4.2 and 4.3 are read` };
}

/** Returns the first element after declarations and comments. */
function rootOf(text: string): Root | undefined {
  let at = 0;
  for (;;) {
    at = text.indexOf('<', at);
    if (at < 0) {
      return undefined;
    }
    if (text.startsWith('<!DOCTYPE', at)) {
      // The parser refuses the declaration. Without its message, the file would be passed over.
      at = Math.max(at, text.search(MESSAGE_TAG));
      break;
    }
    const [close] = text.startsWith('<!--', at) ? ['-->'] : text[at + 1] === '?' ? ['?>'] : [];
    if (close === undefined) {
      break;
    }
    const end = text.indexOf(close, at);
    if (end < 0) {
      return undefined;
    }
    at = end + close.length;
  }
  const tag = text.slice(at, (text.indexOf('>', at) + 1 || text.length + 1) - 1);
  const name = /^<(?:[\w.-]{1,100}:)?([\w.-]{1,100})/.exec(tag)?.[1];
  return name === undefined ? undefined : { name, tag };
}

/** Namespaces since ERN 3.3 end with the version alone; earlier ones have `2010/ern-main/32`. */
function versionOf(tag: string): string | undefined {
  return (
    /["']http:\/\/ddex\.net\/xml\/(?:\d{4}\/)?ern(?:-main)?\/(\d{1,4})["']/.exec(tag)?.[1] ??
    /MessageSchemaVersionId\s*=\s*["'][^"']{0,40}?(\d{1,4})["']/.exec(tag)?.[1]
  );
}

/** `382` becomes `3.8.2`. */
function spoken(version: string): string {
  return [...version].join('.');
}
