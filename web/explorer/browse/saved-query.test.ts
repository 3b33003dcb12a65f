import { expect, it } from 'vitest';
import { bodyOf, queryOf } from './saved-query.ts';
import { parseView } from './view.ts';

it.each([
  '',
  '?search=night&type=music&hasVocals=false&filterSlugs=calm,dark&sort=popular',
  '?songKey=A+minor&bpmMin=60&bpmMax=90.5&durationMax=120&releasedFrom=2024-01-31',
  '?vocals=instrumental,unknown&hasAudio=any&anyFilterSlugs=jazz,folk&notFilterSlugs=dark&songKey=8A,9A',
])('makes a body of a query, and the query of it again: %s', (address) => {
  const { query } = parseView(address);
  expect(queryOf(bodyOf(query))).toEqual(query);
});

it('searches artists and tags, too, if there is a text', () => {
  expect(bodyOf({ search: 'night' })).toEqual({
    query: 'night',
    hasAudio: true,
    in: ['name', 'artists', 'tags'],
  });
});

it.each([
  { licensableIn: ['DE'] },
  { filterIds: ['7d4e0ec6-0e0c-5a6a-9a52-0a2a54d0c3a1'] },
  { query: 'night', in: ['name'] },
  { query: 'night' },
  { releasedFrom: '2024-01-31T12:00:00Z' },
])('has no query for a body of a program that says more: %j', (body) => {
  expect(queryOf(body)).toBeUndefined();
});
