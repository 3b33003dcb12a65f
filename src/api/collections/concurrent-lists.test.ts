import { it } from 'vitest';
import { expectEightAtATime } from '../../../test/harness/eight-at-a-time.ts';
import { listCollections } from './list-collections.ts';

it('makes eight lists for a client at a time, and those of other clients', () =>
  expectEightAtATime('listCollections', (list) => listCollections({ collections: { list } }), {
    collections: [],
    total: 0,
  }));
