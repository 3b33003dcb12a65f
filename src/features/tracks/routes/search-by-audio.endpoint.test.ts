import { expect } from 'vitest';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import { wav } from '../../../../test/harness/wav.ts';

testEndpoint({
  operationId: 'searchByAudio',
  operation: 'POST /v1/search/by-audio',
  access: { feature: 'similar' },
  config: { analysis: true },
  elsewhere: ['conflict'],
  request: ({ featured }) => ({
    token: featured,
    body: wav(16_000),
    headers: { 'Content-Type': 'audio/wav' },
  }),
  expectResponse({ data }) {
    // No track of the server has audio.
    expect(data).toEqual({ items: [] });
  },
});
