import { readAtMost } from '../../../common/files.ts';
import { type Embedder, type EmbedderChoice, MAX_DIMENSIONS } from './embedder.ts';

/** The most texts of one request; services allow at least this many. */
const BATCH = 64;

/** A number has up to 25 characters with its comma. */
const MAX_BYTES = BATCH * MAX_DIMENSIONS * 25;

type RemoteChoice = Extract<EmbedderChoice, { kind: 'remote' }>;

/**
 * Asks a service with OpenAI's embeddings API. Redirects are not followed, because they would take the key elsewhere. Errors
 * contain neither the key nor what the service has sent.
 */
export function remoteEmbedder({ url, model, key }: RemoteChoice): Embedder {
  const endpoint = endpointOf(url);
  const headers = {
    'Content-Type': 'application/json',
    ...(key !== null && { Authorization: `Bearer ${key}` }),
  };
  return {
    model: `${endpoint} ${model}`,
    batch: BATCH,
    async embed(texts, timeoutMs) {
      const body = JSON.stringify({ model, input: texts, encoding_format: 'float' });
      const response = await fetch(endpoint, {
        ...{ method: 'POST', headers, body, redirect: 'error' },
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { status, ok } = response;
      if (!ok) {
        await response.body?.cancel();
        throw new Error(`The embeddings service responded with ${status}`);
      }
      const bytes =
        response.body && (await readAtMost(response.body as AsyncIterable<Buffer>, MAX_BYTES));
      if (!bytes)
        throw new Error(`The embeddings service sent nothing, or more than ${MAX_BYTES} bytes`);
      return vectorsIn(bytes, texts.length);
    },
  };
}

/** `https://api.example.com/v1`, and the same without the path, are `https://api.example.com/v1/embeddings`. */
export function endpointOf(url: string): string {
  const { pathname } = new URL(url);
  if (pathname.endsWith('/embeddings')) return url;
  return `${url.replace(/\/+$/, '')}${pathname === '/' ? '/v1' : ''}/embeddings`;
}

/** Returns the vectors of a response in the order of the texts. Throws if it is not one of this many vectors. */
function vectorsIn(bytes: Buffer, count: number): number[][] {
  let data: unknown;
  try {
    ({ data } = JSON.parse(bytes.toString()));
  } catch {
    data = undefined;
  }
  const vectors: number[][] = [];
  for (const [place, item] of Array.isArray(data) ? data.entries() : []) {
    const { index = place, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (isVector(embedding) && typeof index === 'number') vectors[index] = embedding;
  }
  const [first] = vectors;
  const isWhole =
    vectors.length === count &&
    Object.keys(vectors).length === count &&
    vectors.every(({ length }) => length === first!.length);
  if (!isWhole) {
    throw new Error(
      'The response of the embeddings service does not have one vector for each text',
    );
  }
  return vectors;
}

function isVector(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_DIMENSIONS &&
    value.every((number) => Number.isFinite(number))
  );
}
