import { SaxesParser } from 'saxes';
import { UnreadableError } from './decoded.ts';

const MAX_DEPTH = 100;
const MAX_ATTRIBUTES = 100;
/** The longest tag, comment or run of text, in characters, as the parser holds it in memory until its end. */
const MAX_TOKEN = 1024 * 1024;
/** The characters of a part of the input that are parsed at once. */
const PART = 64 * 1024;

/** An element as it opens. Names are without their namespace prefix, which documents choose freely. */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** The line where the tag begins, from 1. */
  line: number;
}

export interface XmlHandler {
  open(element: XmlElement): void;
  /** The text of the innermost open element, in pieces of any length. Includes CDATA sections. */
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Parses a document in UTF-8, or in the encoding that its declaration names, and calls the handler. Yields after each part
 * of the input, so that the caller can take what the handler has collected. Holds one part and one token in memory.
 *
 * Rejects with UnreadableError, whose position is a line, for what is not well-formed, for a document type declaration,
 * without which no entity can be defined, and for what exceeds the limits of this file.
 */
export async function* parseXml(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  handler: XmlHandler,
): AsyncGenerator<void> {
  const walk = walkOf(handler);
  let decode: ((chunk?: Uint8Array) => string) | undefined;
  for await (const chunk of chunks) {
    decode ??= decoderOf(chunk);
    const text = decode(chunk);
    for (let at = 0; at < text.length; at += PART) {
      walk.write(text.slice(at, at + PART));
      yield;
    }
  }
  if (decode !== undefined) walk.write(decode());
  walk.end();
  yield;
}

function walkOf(handler: XmlHandler): { write(text: string): void; end(): void } {
  const parser = new SaxesParser({ position: true });
  let depth = 0;
  let attributeCount = 0;
  let line = 0;
  /** The characters that were written since the parser last completed a token. */
  let pending = 0;
  const unreadable = (reason: string) =>
    new UnreadableError(parser.line, `${reason}; the rest was not read`);
  const completed = () => {
    pending = 0;
  };
  const takeText = (text: string) => {
    completed();
    handler.text?.(text);
  };
  parser.on('error', ({ message }) => {
    throw unreadable(`the XML is not well-formed (${message.replace(/^\d+:\d+: /, '')})`);
  });
  parser.on('doctype', () => {
    throw unreadable('the XML has a document type declaration, which is refused');
  });
  parser.on('opentagstart', () => {
    completed();
    attributeCount = 0;
    // The parser has read the character after the name, which may end the line.
    line = parser.column === 0 ? parser.line - 1 : parser.line;
    if (++depth > MAX_DEPTH) {
      throw unreadable(`the XML has more than ${MAX_DEPTH} elements inside each other`);
    }
  });
  parser.on('attribute', () => {
    completed();
    if (++attributeCount > MAX_ATTRIBUTES) {
      throw unreadable(`an element has more than ${MAX_ATTRIBUTES} attributes`);
    }
  });
  parser.on('opentag', ({ name, attributes }) => {
    handler.open({
      name: localName(name),
      attributes: attributes as Record<string, string>,
      line,
    });
  });
  parser.on('text', takeText);
  parser.on('cdata', takeText);
  parser.on('comment', completed);
  parser.on('processinginstruction', completed);
  parser.on('closetag', ({ name }) => {
    completed();
    depth--;
    handler.close?.(localName(name));
  });
  return {
    write(text) {
      pending += text.length;
      parser.write(text);
      if (pending > MAX_TOKEN) {
        throw unreadable('a tag, a comment or a text is longer than 1 MiB');
      }
    },
    end: () => parser.close(),
  };
}

/** `ern:NewReleaseMessage` becomes `NewReleaseMessage`. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Returns a function that decodes the encoding of the declaration, or UTF-8 without one. Without a chunk, it ends. */
function decoderOf(head: Uint8Array): (chunk?: Uint8Array) => string {
  const declaration = Buffer.from(head.subarray(0, 200)).toString('latin1');
  const encoding = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]{1,40})["']/.exec(declaration)?.[1];
  // A declaration that can be read as ASCII is not in UTF-16: the bytes were decoded before.
  const decoder = decoderFor(
    encoding === undefined || /^(utf-?16|ucs-2)/i.test(encoding) ? 'utf-8' : encoding,
  );
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      const reason = `the XML has bytes that are not ${decoder.encoding}; the rest was not read`;
      throw new UnreadableError(0, reason, { cause: error });
    }
  };
}

function decoderFor(encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new UnreadableError(1, `the XML is in the unknown encoding ${encoding}`);
  }
}
