import { describe, expect, it } from 'vitest';
import { startEmbeddingsService, topicVector } from './embeddings-service.test-support.ts';
import { endpointOf, remoteEmbedder } from './remote-embedder.ts';

const KEY = 'sk-secret';

function embedderOf(url: string, key: string | null = KEY) {
  return remoteEmbedder({ kind: 'remote', url, model: 'some-model', key });
}

const sending = (text: string) => (response: { end(text: string): void }) => response.end(text);
const ofVectors = (...embeddings: unknown[]) =>
  JSON.stringify({ data: embeddings.map((embedding, index) => ({ index, embedding })) });

describe('a service with the embeddings API of OpenAI', () => {
  it('gets the model, the texts and the key, and its vectors are in the order of the texts', async () => {
    const { url, asked } = await startEmbeddingsService();
    const texts = ['dark', 'happy', 'sea'];
    expect(await embedderOf(url).embed(texts, 5_000)).toEqual(texts.map(topicVector));
    expect(asked).toEqual([
      {
        path: '/v1/embeddings',
        authorization: `Bearer ${KEY}`,
        body: { model: 'some-model', input: texts, encoding_format: 'float' },
      },
    ]);
  });

  it('gets no key if there is none', async () => {
    const { url, asked } = await startEmbeddingsService();
    await embedderOf(url, null).embed(['dark'], 5_000);
    expect(asked[0]!.authorization).toBeUndefined();
  });

  it.each([
    ['is no JSON', 'no JSON'],
    ['has no data', '{}'],
    ['has null', 'null'],
    ['has too few vectors', ofVectors([1, 2])],
    ['has too many vectors', ofVectors([1, 2], [1, 2], [1, 2])],
    ['has vectors of different lengths', ofVectors([1, 2], [1, 2, 3])],
    ['has a vector without numbers', ofVectors([], [])],
    ['has a vector that is too long', ofVectors(Array(4_097).fill(1), Array(4_097).fill(1))],
    ['has texts for numbers', ofVectors(['1', '2'], [1, 2])],
    ['has a number that is too large', ofVectors([1, 2], [1, 2]).replace('2', '1e999')],
    [
      'has one vector twice',
      JSON.stringify({ data: [0, 0].map((index) => ({ index, embedding: [1] })) }),
    ],
    [
      'has a wrong index',
      JSON.stringify({ data: [0, 1e9].map((index) => ({ index, embedding: [1] })) }),
    ],
  ])('is refused if its response %s', async (_what, body) => {
    const { url } = await startEmbeddingsService(sending(body));
    await expect(embedderOf(url).embed(['dark', 'sea'], 5_000)).rejects.toThrow(
      'The response of the embeddings service does not have one vector for each text',
    );
  });

  it('is refused if its response is too long, without being read to its end', async () => {
    const { url } = await startEmbeddingsService((response) => {
      const more = () => {
        while (response.writable && response.write(' '.repeat(1 << 20)));
      };
      response.on('drain', more);
      more();
    });
    await expect(embedderOf(url).embed(['dark'], 30_000)).rejects.toThrow('or more than');
  });

  it('is not followed elsewhere, where the key would go', async () => {
    const elsewhere = await startEmbeddingsService();
    const { url } = await startEmbeddingsService((response) => {
      response.writeHead(307, { Location: `${elsewhere.url}/embeddings` }).end();
    });
    await expect(embedderOf(url).embed(['dark'], 5_000)).rejects.toThrow();
    expect(elsewhere.asked).toEqual([]);
  });

  it('is waited for only as long as allowed', async () => {
    const { url } = await startEmbeddingsService(() => {});
    await expect(embedderOf(url).embed(['dark'], 50)).rejects.toThrow(/timeout/i);
  });

  it('may refuse a request; the error names its status only', async () => {
    const { url } = await startEmbeddingsService((response) => {
      response.writeHead(401).end(`wrong key ${KEY}`);
    });
    const failure = await embedderOf(url)
      .embed(['dark'], 5_000)
      .catch((error: Error) => error);
    expect((failure as Error).message).toBe('The embeddings service responded with 401');
  });
});

it.each([
  ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1/embeddings'],
  ['https://api.openai.com/v1', 'https://api.openai.com/v1/embeddings'],
  ['https://example.com/llm/v1/embeddings', 'https://example.com/llm/v1/embeddings'],
  ['https://example.com/llm', 'https://example.com/llm/embeddings'],
])('the endpoint of %s is %s', (url, endpoint) => {
  expect(endpointOf(url)).toBe(endpoint);
});
