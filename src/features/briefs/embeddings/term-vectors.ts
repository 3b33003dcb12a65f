import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { replaceFile, unlessMissing } from '../../../common/files.ts';
import { MAX_DIMENSIONS } from './embedder.ts';

/** The most terms of a vocabulary, which bounds the memory, the file and the time of a comparison. */
export const MAX_TERMS = 10_000;

/** The format of the file. */
const VERSION = 1;

const MAX_TERM_LENGTH = 200;
/** The lengths of the parts before the vectors, and the vectors of the greatest vocabulary. */
const MAX_FILE_BYTES = 4 + MAX_TERMS * (6 * MAX_TERM_LENGTH + 3 + MAX_DIMENSIONS) + 1_000;
const DIGEST_BYTES = 32;

interface Head {
  version: number;
  model: string;
  dimensions: number;
  terms: string[];
}

/** A vector of whole numbers from -127 to 127, with its length. */
export interface TermVector {
  numbers: Int8Array;
  norm: number;
}

/** Scales a vector so that its greatest number is 127: cosines change by less than a hundredth. */
export function termVector(vector: ArrayLike<number>): TermVector {
  let greatest = 0;
  for (let i = 0; i < vector.length; i++) greatest = Math.max(greatest, Math.abs(vector[i]!));
  const scale = greatest === 0 ? 0 : 127 / greatest;
  return withNorm(Int8Array.from(vector, (number) => Math.round(number * scale)));
}

function withNorm(numbers: Int8Array): TermVector {
  return { numbers, norm: Math.sqrt(product(numbers, numbers)) };
}

function product(a: Int8Array, b: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** The cosine of the angle between two vectors of the same model. 0 if one of them is 0. */
export function similarity(one: TermVector, other: TermVector): number {
  const norms = one.norm * other.norm;
  return norms === 0 ? 0 : product(one.numbers, other.numbers) / norms;
}

/** Reads the vectors that a model has made; none if there is no such file, or it is damaged or of another model. */
export async function readTermVectors(
  path: string,
  model: string,
): Promise<Map<string, TermVector>> {
  const vectors = new Map<string, TermVector>();
  const size = (await unlessMissing(stat(path)))?.size ?? 0;
  if (size < 4 + DIGEST_BYTES || size > MAX_FILE_BYTES) return vectors;
  const file = await readFile(path);
  const content = file.subarray(DIGEST_BYTES);
  if (!digestOf(content).equals(file.subarray(0, DIGEST_BYTES))) return vectors;
  const headBytes = content.readUInt32LE(0);
  const head: Head = JSON.parse(content.subarray(4, 4 + headBytes).toString());
  if (head.version !== VERSION || head.model !== model) return vectors;
  const numbers = new Int8Array(content.buffer, content.byteOffset + 4 + headBytes);
  for (const [i, term] of head.terms.entries()) {
    const from = i * head.dimensions;
    vectors.set(term, withNorm(numbers.slice(from, from + head.dimensions)));
  }
  return vectors;
}

/** Replaces the file by these vectors, which are of one model. */
export async function writeTermVectors(
  path: string,
  model: string,
  vectors: ReadonlyMap<string, TermVector>,
): Promise<void> {
  const all = [...vectors.values()].map(({ numbers }) => numbers);
  const terms = [...vectors.keys()];
  const dimensions = all[0]?.length ?? 0;
  const head = Buffer.from(
    JSON.stringify({ version: VERSION, model, dimensions, terms } satisfies Head),
  );
  const headBytes = Buffer.alloc(4);
  headBytes.writeUInt32LE(head.length);
  const content = Buffer.concat([
    headBytes,
    head,
    ...all.map((numbers) => Buffer.from(numbers.buffer)),
  ]);
  await replaceFile(path, async (file) => {
    await file.append(digestOf(content));
    await file.append(content);
  });
}

function digestOf(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}
