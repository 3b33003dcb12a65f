import { expect, it } from 'vitest';
import { quoteBody } from '../../../test/harness/licensing.ts';
import { OperatorError } from '../../common/errors.ts';
import { parseQuoteRequest } from './quote-request.ts';

it('a request in a file is read as one of the API', () => {
  const { tracks: names, ...body } = quoteBody();
  const startsAt = '2026-12-01T00:00:00+01:00';
  expect(parseQuoteRequest(JSON.stringify(quoteBody({ startsAt })))).toEqual({
    ...body,
    ...{ names, exclusive: false, startsAt: Date.UTC(2026, 10, 30, 23) },
  });
});

it.each([
  ['{"tracks":', 'the request is not JSON'],
  [quoteBody({ teritories: ['DE'] }), 'the request is refused: teritories is no member'],
  [
    quoteBody({ project: { name: 'Ad', note: 'x' } }),
    'the request is refused: project.note is no member of a request',
  ],
  ['{"term":"P1Y","term":"P1M"}', 'the request is refused: term must be given once'],
  [quoteBody({ tracks: [] }), 'the request is refused: tracks '],
  [quoteBody({ territories: ['WORLD', 'DE'] }), 'territories must have WORLD alone'],
  [quoteBody({ startsAt: 'tomorrow' }), 'the request is refused: startsAt '],
])('a request in a file is refused: %j', (body, problem) => {
  const read = () => parseQuoteRequest(typeof body === 'string' ? body : JSON.stringify(body));
  expect(read).toThrow(OperatorError);
  expect(read).toThrow(problem);
});
