import { expect, it } from 'vitest';
import { listen } from '../../../../test/harness/access-server.ts';

it('responds to an internal error with server_error, without details', async () => {
  const server = await listen();
  const { clientId, testSecret } = await server.newClient();
  server.keyRing.signing = () => {
    throw new Error('hidden');
  };
  const response = await fetch(`${server.base}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: testSecret,
    }),
  });
  expect(response.status).toBe(500);
  const body = (await response.json()) as { error: string; error_description: string };
  expect(body).toEqual({
    error: 'server_error',
    error_description: expect.any(String),
    error_uri: expect.stringMatching(/^https?:[^#]+\/docs\/errors#internal_error$/),
  });
  expect(body.error_description).not.toContain('hidden');
  await server.close();
});
