import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface Asked {
  path: string;
  authorization: string | undefined;
  body: { model: string; input: string[]; encoding_format: string };
}

/** Writes the response to a request, in place of vectors. */
type Misbehave = (response: ServerResponse, asked: Asked) => void;

/** Texts that have one of these words have the same direction. */
const TOPICS = [/dark|detective|night/, /happy|summer/, /calm|sea/];

/** A vector whose direction is the topic of a text; others are near nothing. */
export function topicVector(text: string): number[] {
  const topic = TOPICS.findIndex((words) => words.test(text));
  return [...TOPICS.map((_, i) => (i === topic ? 1 : 0)), topic === -1 ? 1 : 0.2];
}

/** Starts a service with OpenAI's embeddings API, until the test has finished. */
export async function startEmbeddingsService(misbehave?: Misbehave) {
  const asked: Asked[] = [];
  const behavior = { misbehave };
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const body = (await json(request)) as Asked['body'];
    const one = { path, authorization: headers.authorization, body };
    asked.push(one);
    if (behavior.misbehave !== undefined) {
      behavior.misbehave(response, one);
      return;
    }
    const data = body.input.map((text, index) => ({ index, embedding: topicVector(text) }));
    response.setHeader('Content-Type', 'application/json');
    // The order of the items is free.
    response.end(JSON.stringify({ object: 'list', model: body.model, data: data.toReversed() }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    behave: (how?: Misbehave) => {
      behavior.misbehave = how;
    },
  };
}
