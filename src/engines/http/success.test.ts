import Type from 'typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FeatureServer, startFeatureServer } from '../../../test/harness/feature-server.ts';
import { route } from './route/route.ts';

const SHARED = {
  method: 'POST',
  tag: 'Tracks',
  summary: 'Note',
  description: 'A note.',
  access: { scope: 'tracks' },
  errors: [],
  body: Type.Object({ text: Type.String() }),
  data: Type.Object({ text: Type.String() }),
} as const;

const known = new Set<string>();

const createNote = route({
  ...SHARED,
  operationId: 'createNote',
  path: '/v1/notes',
  success: { statuses: [201, 200], headers: ['Location', 'Content-Language'] },
  handle: ({ body }) => {
    const headers = { Location: `/v1/notes/${body.text}`, 'Content-Language': 'en' };
    if (known.has(body.text)) {
      return { status: 200, data: body, headers };
    }
    known.add(body.text);
    return { data: body, headers };
  },
});

const pingNote = route({
  ...SHARED,
  operationId: 'pingNote',
  path: '/v1/pings',
  success: { statuses: [202] },
  handle: ({ body }) => ({ data: body }),
});

let server: FeatureServer;
beforeAll(async () => {
  server = await startFeatureServer([createNote, pingNote]);
});
afterAll(() => server.close());

it('gives a success the first status of its route, unless the handler sets another', async () => {
  const body = { text: 'a' };
  const created = await server.call('createNote', { body });
  expect(created.status).toBe(201);
  expect(created.headers).toMatchObject({ location: '/v1/notes/a', 'content-language': 'en' });
  expect((await server.call('createNote', { body })).status).toBe(200);
  const accepted = await server.call('pingNote', { body });
  expect(accepted).toMatchObject({ status: 202, data: body, error: { code: 0, message: 'OK' } });
});

it('gives an error its own status', async () => {
  expect((await server.call('createNote', { body: {} })).status).toBe(400);
});
