import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBytes, readHead, textDecoding } from './bytes.ts';
import { recognizeFormat } from './format.ts';
import { decodeNdjson } from './json-record.ts';

const utf8 = textDecoding(undefined);

describe('recognizeFormat', () => {
  const recognize = (content: string | Buffer, name = 'file', whole = true) => {
    const format = recognizeFormat(Buffer.from(content as string), name, whole);
    return typeof format === 'string' ? format : format.kind;
  };

  it.each([
    ['[{"a":1}]', 'file', 'json'],
    ['[\n{"a":1}]', 'file.ndjson', 'json'],
    ['{"name":"x"}\n{"name":"y"}\n', 'file', 'ndjson'],
    ['{"name":"x"}\n{"name":"y"}\n', 'file.json', 'ndjson'],
    ['{"name":"x","externalId":"1"}', 'file', 'ndjson'],
    ['{"tracks":[{"name":"x"}]}', 'file', 'json'],
    ['{"data":{"items":[{"name":"x"}]}}\n', 'file.json', 'json'],
    ['{\n  "tracks": [\n    {"name":"x"}\n  ]\n}', 'file', 'json'],
    ['{"name":"x"\n{"name":"y"}\n', 'file', 'ndjson'],
    ['not json\n{"name":"y"}\n', 'file', 'ndjson'],
    ['not json\n', 'file.jsonl.gz', 'ndjson'],
    ['{"tracks": [\n  {"name":"x"},\n  {"name":"y"}\n]}\n', 'file.json', 'json'],
    ['{"data":{"items":[\n  {"name":"x"}]}\n}', 'file', 'json'],
    ['a,b\n1,2\n', 'file', 'csv'],
    ['"a, b";c\n1;2\n', 'file.csv', 'csv'],
    ['PK\x03\x04', 'file', 'xlsx'],
  ])('recognizes %j in %s as %s', (content, name, expected) => {
    expect(recognize(content, name)).toBe(expected);
  });

  it.each([
    [Buffer.from('fffe000061000000', 'hex'), 'is in UTF-32'],
    [Buffer.from('504b05060000', 'hex'), 'empty ZIP archive'],
    [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'old Office'],
    [Buffer.from('1f8b0800', 'hex'), 'compressed twice'],
    [Buffer.from([1, 2, 0, 3, 0, 0, 200]), 'is binary'],
    [Buffer.alloc(0), 'is empty'],
    [Buffer.from(' \n\n'), 'is empty'],
  ])('refuses %j', (content, reason) => {
    expect(recognize(content)).toContain(reason);
  });

  it.each([
    ['{\n  "name": "x",\n  "artists": [{"name":"y"}]\n}\n', 'file.json', true],
    ['{\n  "name": "x"\n}', 'file.ndjson', true],
    ['{\n  "tracks": [{"name":"x"}]\n}\n', 'file.json', false],
    ['[{"name":"x"}]', 'file.json', false],
  ])('distinguishes one record from a list of records: %j', (content, name, isObject) => {
    expect(recognizeFormat(Buffer.from(content), name, true)).toEqual({ kind: 'json', isObject });
  });

  it('takes less than the time limit for an adversarial beginning of a file', () => {
    const startedAt = performance.now();
    for (const content of [
      `x${'\n'.repeat(65_000)}`,
      `{"a"\n${' {\n'.repeat(20_000)}`,
      `{"a"\n${' '.repeat(30_000)}{${'x'.repeat(30_000)}`,
      `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      `x\n${' '.repeat(60_000)}`,
    ]) {
      recognize(content);
      recognize(content, 'file', false);
    }
    // A search for a brace from the beginning of each line would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it.each([
    ['a;b;c\n', ';'],
    ['a\tb\n', '\t'],
    ['"x;y;z",b\n', ','],
    ['single\n', ','],
  ])('finds the separator of %j', (content, delimiter) => {
    expect(recognizeFormat(Buffer.from(content), 'x.csv', true)).toMatchObject({
      kind: 'csv',
      delimiter,
    });
  });
});

describe('readBytes', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stave-bytes-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function file(content: string | Buffer): Promise<string> {
    const path = join(folder, 'file');
    await writeFile(path, content);
    return path;
  }
  async function text(path: string): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of readBytes(path)) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  }

  it('decompresses gzip by its content and removes a byte order mark', async () => {
    expect(await text(await file('\ufeffplain'))).toBe('plain');
    expect(await text(await file(gzipSync('\ufeffpacked')))).toBe('packed');
    expect(await text(await file(Buffer.concat([gzipSync('one'), gzipSync('two')])))).toBe(
      'onetwo',
    );
    expect(await text(await file(''))).toBe('');
  });

  it('throws if gzip data end too early or are damaged', async () => {
    const packed = gzipSync(Buffer.from(Array.from({ length: 5000 }, (_, i) => `${i * i}`).join()));
    await expect(text(await file(packed.subarray(0, -200)))).rejects.toThrow('end too early');
    const broken = Buffer.from(packed);
    broken.fill(0xff, 500, 600);
    await expect(text(await file(broken))).rejects.toThrow('damaged');
  });

  it('throws if a file does not exist', async () => {
    await expect(text(join(folder, 'none'))).rejects.toThrow(`cannot read ${join(folder, 'none')}`);
  });

  it('reads no more than is requested', async () => {
    const path = await file(gzipSync(Buffer.alloc(32 * 1024 * 1024)));
    const { head, whole } = await readHead(path, 1000);
    expect([head.length, whole]).toEqual([1000, false]);
  });

  it('stops at a gzip bomb', async () => {
    const path = await file(gzipSync(Buffer.alloc(100 * 1024 * 1024)));
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const reading = (async () => {
      for await (const batch of decodeNdjson(readBytes(path), utf8)) {
        most = Math.max(most, batch.length);
      }
    })();
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 5);
    await expect(reading).rejects.toThrow('more than 30 times their size');
    clearInterval(watch);
    expect(most).toBeLessThan(48 * 1024 * 1024);
  });
});
