import { testEndpoint } from '../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'listTrackChanges',
  operation: 'GET /v1/tracks/changes',
  access: { feature: 'changes' },
});

testEndpoint({
  operationId: 'reportUsage',
  operation: 'POST /v1/usage',
  access: { feature: 'usage' },
});

testEndpoint({
  operationId: 'listSimilarTracks',
  operation: 'GET /v1/tracks/{slug}/similar',
  access: { feature: 'similar' },
});
