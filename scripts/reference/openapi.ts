import { type ApiDependencies, apiRoutes } from '../../src/api/routes.ts';

/** The address in the document; a running service names its own. */
const SERVER_URL = 'https://api.example.com';

/** docs/reference/openapi.json, as a service at the example address serves it. */
export async function openApiDocument(): Promise<string> {
  // Routes describe themselves without what their handlers work with, and no handler runs here but one.
  const described = { store: {}, publicUrl: () => SERVER_URL } as unknown as ApiDependencies;
  const route = apiRoutes(described).find(({ path }) => path === '/openapi.json')!;
  const answer = await route.handle({ headers: {} } as Parameters<typeof route.handle>[0]);
  if (!('body' in answer) || !Buffer.isBuffer(answer.body)) {
    throw new Error('/openapi.json answered with something else than bytes');
  }
  return `${JSON.stringify(JSON.parse(answer.body.toString('utf8')), null, 2)}\n`;
}
