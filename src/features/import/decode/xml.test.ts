import { describe, expect, it } from 'vitest';
import { UnreadableError } from './decoded.ts';
import { parseXml } from './xml.ts';

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Parses a document, and returns its elements and texts in order. */
async function parse(document: string | Uint8Array, size = 64 * 1024): Promise<string[]> {
  const parts: string[] = [];
  const bytes = typeof document === 'string' ? Buffer.from(document) : document;
  const handler = {
    open: ({ name, attributes }: { name: string; attributes: object }) =>
      parts.push(`<${[name, ...Object.entries(attributes).flat()].join(' ')}`),
    text: (text: string) => text.trim() && parts.push(text),
    close: (name: string) => parts.push(`${name}>`),
  };
  for await (const _ of parseXml(chunksOf(bytes, size), handler));
  return parts;
}

/** Returns the message with which a document is refused. */
async function refusal(document: string | Uint8Array): Promise<string> {
  const error = await parse(document).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UnreadableError);
  return (error as UnreadableError).message;
}

describe('parseXml', () => {
  it('gives elements without prefixes, attributes, texts and CDATA in order', async () => {
    const document =
      '<?xml version="1.0"?><!-- c --><ern:A xmlns:ern="x" id="1"><B>a &amp; b</B><C><![CDATA[<d>]]></C></ern:A>';
    const parts = ['<A xmlns:ern x id 1', '<B', 'a & b', 'B>', '<C', '<d>', 'C>', 'A>'];
    expect(await parse(document)).toEqual(parts);
  });

  it.each([60, 61, 62, 63])('gives the same if the bytes come in parts of %i', async (size) => {
    const document = '<?xml version="1.0" encoding="UTF-8"?><a><b c="ü">Nachtfähre 🎵</b></a>';
    expect((await parse(document, size)).join('')).toBe((await parse(document)).join(''));
  });

  it('reads the encoding of the declaration', async () => {
    const document = Buffer.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?><a>Fähre</a>',
      'latin1',
    );
    expect(await parse(document)).toEqual(['<a', 'Fähre', 'a>']);
    expect(await refusal(document.subarray(44))).toContain('not utf-8');
    expect(await refusal('<?xml version="1.0" encoding="klingon"?><a/>')).toContain('klingon');
  });

  it.each([
    ['<a><b></a>', 'not well-formed'],
    ['<a>', 'not well-formed'],
    ['<a/><b/>', 'not well-formed'],
    ['<a>&unknown;</a>', 'not well-formed'],
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'document type declaration'],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 'document type declaration'],
    [`${'<a>'.repeat(101)}`, 'more than 100 elements'],
    [`<a ${Array.from({ length: 101 }, (_, i) => `b${i}=""`).join(' ')}/>`, '100 attributes'],
    [`<a>${'b'.repeat(2 ** 21)}</a>`, 'longer than 1 MiB'],
    [`<a b="${'b'.repeat(2 ** 21)}"/>`, 'longer than 1 MiB'],
    [`<a><!--${'b'.repeat(2 ** 21)}--></a>`, 'longer than 1 MiB'],
    [`<a><![CDATA[${'b'.repeat(2 ** 21)}]]></a>`, 'longer than 1 MiB'],
    ['', 'not well-formed'],
  ])('refuses %.40s', async (document, message) => {
    expect(await refusal(document)).toContain(message);
  });

  it('gives the line where a tag begins', async () => {
    const lines: number[] = [];
    const handler = {
      open: ({ line }: { line: number }) => lines.push(line),
      text: () => {},
      close: () => {},
    };
    const document = Buffer.from('<a>\n<b c="1"/>\n\n<d\ne="2"\n/></a>');
    for await (const _ of parseXml(chunksOf(document, 1000), handler));
    expect(lines).toEqual([1, 2, 4]);
  });

  it('names the line of a problem', async () => {
    await expect(parse('<a>\n<b>\n</c></b></a>')).rejects.toMatchObject({ position: 3 });
  });
});
