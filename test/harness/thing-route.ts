import Type from 'typebox';
import { route } from '../../src/engines/http/route/route.ts';

/** The declaration of a route for tests of what all routes have in common. A test adds what it is about. */
export const THING_ROUTE = route({
  operationId: 'postThing',
  method: 'POST',
  path: '/v1/things',
  tag: 'Tracks',
  summary: 'Post',
  description: 'A thing.',
  access: { scope: 'tracks' },
  errors: [],
  body: Type.Object({}),
  data: Type.Object({}),
  handle: () => ({ data: {} }),
});
