import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Embedder } from './embedder.ts';
import { topicVector } from './embeddings-service.test-support.ts';
import { NearTerms } from './near-terms.ts';

const TERMS = ['dark', 'happy', 'calm', 'summer'];

async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stave-vectors-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Returns what compares with a model that knows some topics, and the texts that the model was given. */
function nearTermsIn(folder: string, { model = 'topics', vector = topicVector } = {}) {
  const given: string[] = [];
  const embedder: Embedder = {
    model,
    batch: 3,
    async embed(texts) {
      given.push(...texts);
      return texts.map(vector);
    },
  };
  const path = join(folder, 'vectors');
  return { near: new NearTerms(embedder, path), given, path };
}

it('the nearest terms of a phrase come first, with their similarity', async () => {
  const { near } = nearTermsIn(await testFolder());
  await near.prepare('one', TERMS);
  const phrases = ['a detective', 'something else', 'on the sea, in summer'];
  const found = await near.nearest('one', phrases);
  expect(found).toEqual([
    [{ term: 'dark', similarity: 1 }],
    [],
    [
      { term: 'happy', similarity: 1 },
      { term: 'summer', similarity: 1 },
    ],
  ]);
});

it('another vocabulary than the prepared one is not ready', async () => {
  const { near } = nearTermsIn(await testFolder());
  expect(await near.nearest('one', ['a detective'])).toBeNull();
  await near.prepare('one', TERMS);
  expect(await near.nearest('two', ['a detective'])).toBeNull();
});

it('vectors of terms are made once, and kept in a file', async () => {
  const folder = await testFolder();
  const first = nearTermsIn(folder);
  await first.near.prepare('one', TERMS);
  await first.near.prepare('two', [...TERMS.slice(1), 'sea']);
  expect(first.given).toEqual([...TERMS, 'sea']);
  const second = nearTermsIn(folder);
  await second.near.prepare('three', ['sea', 'night', 'happy']);
  expect(second.given).toEqual(['night']);
  expect(await second.near.nearest('three', ['calm'])).toEqual([[{ term: 'sea', similarity: 1 }]]);
});

it('a file of another model, and one that is damaged, is made again', async () => {
  const folder = await testFolder();
  await nearTermsIn(folder).near.prepare('one', TERMS);
  const other = nearTermsIn(folder, { model: 'another' });
  await other.near.prepare('one', TERMS);
  expect(other.given).toEqual(TERMS);
  const bytes = await readFile(other.path);
  for (const damaged of [bytes.subarray(0, 50), bytes.fill(7, 60, 70), Buffer.alloc(10)]) {
    await writeFile(other.path, damaged);
    const next = nearTermsIn(folder, { model: 'another' });
    await next.near.prepare('one', TERMS);
    expect(next.given).toEqual(TERMS);
  }
});

it('vectors of another length make the vocabulary anew', async () => {
  const folder = await testFolder();
  const lengths = { extra: [] as number[] };
  const { near, given } = nearTermsIn(folder, {
    vector: (text) => [...topicVector(text), ...lengths.extra],
  });
  await near.prepare('one', TERMS);
  lengths.extra = [0, 0];
  expect(await near.nearest('one', ['a detective'])).toBeNull();
  await near.prepare('one', TERMS);
  expect(given).toEqual([...TERMS, 'a detective', ...TERMS]);
  expect(await near.nearest('one', ['a detective'])).toEqual([[{ term: 'dark', similarity: 1 }]]);
});

it('a model that fails is tried again', async () => {
  const folder = await testFolder();
  const failure = { message: 'no model' };
  const { near } = nearTermsIn(folder, {
    vector: (text) => {
      if (failure.message !== '') throw new Error(failure.message);
      return topicVector(text);
    },
  });
  await expect(near.prepare('one', TERMS)).rejects.toThrow('no model');
  failure.message = '';
  await near.prepare('one', TERMS);
  expect(await near.nearest('one', ['sea'])).toEqual([[{ term: 'calm', similarity: 1 }]]);
});
