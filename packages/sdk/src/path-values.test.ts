import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { StaveClient } from './client.ts';
import { StaveError } from './errors.ts';
import { NAME_PATTERN } from './names.ts';
import { scriptedServer, send } from './scripted-server.test-support.ts';

interface Parameter {
  name: string;
  in: string;
  example: string;
}

interface Operation {
  operationId: string;
  tags: string[];
  parameters?: Parameter[];
}

type Input = Record<string, string>;

const DOCUMENT = new URL('../../../docs/reference/openapi.json', import.meta.url);
const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...{ path, method: method.toUpperCase(), operationId: operation.operationId },
    parameters: (operation.parameters ?? []).filter((one) => one.in === 'path'),
    isMedia: operation.tags.includes('Media') || path.startsWith('/media/'),
  })),
);
/** The methods that fill a path: those of media take a URL. */
const filling = operations.filter((one) => one.parameters.length > 0 && !one.isMedia);

/** What is refused. A new path beside one with a parameter belongs here. */
const RESERVED: Record<string, string[]> = {
  'showTrack slug': ['batch', 'changes', 'snapshot', 'stream-urls'],
  'updateCollectionItem trackId': ['remove'],
};

/** In the order of the router: a path of words goes before one with parameters. */
const patterns = Object.keys(paths)
  .toSorted((a, b) => a.split('{').length - b.split('{').length)
  .map((path) => {
    const pattern = path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+');
    return { path, pattern: new RegExp(`^${pattern}$`) };
  });

function routed(url: string): string | undefined {
  return patterns.find(({ pattern }) => pattern.test(url))?.path;
}

const call = (stave: StaveClient, operationId: string, input: Input): PromiseLike<unknown> =>
  (stave as unknown as Record<string, (input: Input) => PromiseLike<unknown>>)[operationId]!(input);

/** The words of all paths in the place of a parameter of a path. */
function wordsAt(path: string, name: string): string[] {
  const place = path.split('/').indexOf(`{${name}}`);
  const parts = Object.keys(paths).map((one) => one.split('/')[place] ?? '');
  return [...new Set(parts)].filter((part) => part !== '' && !part.startsWith('{'));
}

describe('a value in a path', () => {
  it.each(filling)(
    'never leads from $operationId to another operation',
    async ({ path, method, operationId, parameters }) => {
      const server = await scriptedServer((_, response) => send(response, 200, {}));
      const stave = server.client();
      for (const { name } of parameters) {
        server.received.length = 0;
        const others = Object.fromEntries(parameters.map((one) => [one.name, 'x']));
        const words = wordsAt(path, name);
        const ends = await Promise.allSettled(
          words.map((word) => call(stave, operationId, { ...others, [name]: word })),
        );
        const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
        const refused = words.filter((_, i) => ends[i]!.status === 'rejected');
        expect(refused.toSorted()).toEqual(RESERVED[`${operationId} ${name}`] ?? []);
        expect(reasons.every((reason) => reason instanceof StaveError)).toBe(true);
        expect(server.received).toHaveLength(words.length - refused.length);
        for (const one of server.received) {
          expect([one.method, routed(one.url)]).toEqual([method, path]);
        }
      }
    },
  );

  it.each([
    ['', 'slug is missing, or only dots'],
    ['.', 'slug is missing, or only dots'],
    ['..', 'slug is missing, or only dots'],
    ['Snapshot', 'slug must not be "Snapshot", which is the path of another operation'],
    ['../me', 'slug contains a slash'],
    ['x/similar', 'slug contains a slash'],
    ['snapshot/', 'slug contains a slash'],
    ['..\\me', 'a backslash'],
    ['%2e%2e', 'a percent sign'],
    ['snap%73hot', 'a percent sign'],
    ['\ud800', 'half of a character'],
  ])(
    'is refused if proxies or URL parsers could make another path of it: %j',
    async (slug, message) => {
      const server = await scriptedServer((_, response) => send(response, 200, {}));
      const failed = server.client().showTrack({ slug }).then();
      await expect(failed).rejects.toBeInstanceOf(StaveError);
      await expect(failed).rejects.toThrow(message);
      expect([server.received, server.tokens()]).toEqual([[], 0]);
    },
  );

  it('is encoded otherwise', async () => {
    const server = await scriptedServer((_, response) => send(response, 200, {}));
    await server.client().showTrack({ slug: '…?a=b&#;snapshot ' });
    expect(server.received[0]!.url).toBe('/v1/tracks/%E2%80%A6%3Fa%3Db%26%23%3Bsnapshot%20');
  });
});

it('has a pattern that fits every slug and id of the reference', () => {
  const examples = filling.flatMap(({ parameters }) => parameters.map(({ example }) => example));
  expect(examples.length).toBeGreaterThan(10);
  for (const example of examples) expect(example).toMatch(new RegExp(NAME_PATTERN));
});
