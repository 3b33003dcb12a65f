import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { type ApiDependencies, apiRoutes } from '../../src/app/routes.ts';

/** The server address in the document. A running service names its own. */
const SERVER_URL = 'https://api.example.com';

/** Returns docs/reference/openapi.json as a service at the example address serves it. */
export async function openApiDocument(): Promise<string> {
  // Building the routes needs none of the handlers' dependencies, and only the handler of the
  // document runs.
  const described = {
    store: {},
    sales: {},
    publicUrl: () => SERVER_URL,
  } as unknown as ApiDependencies;
  const route = apiRoutes(described).find(({ path }) => path === '/openapi.json')!;
  const response = await route.handle({ headers: {} } as Parameters<typeof route.handle>[0]);
  if (!('body' in response) || !(response.body instanceof Readable)) {
    throw new Error('/openapi.json must respond with a file');
  }
  return `${JSON.stringify(await json(response.body), null, 2)}\n`;
}
