import { testEndpoint } from '../../../test/harness/endpoint.ts';

testEndpoint({
  operationId: 'reportUsage',
  operation: 'POST /v1/usage',
  access: { feature: 'usage' },
});
