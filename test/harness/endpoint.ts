import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../src/app/config/config.ts';
import { ALL_SCOPES, FEATURES, SCOPES, type Scope } from '../../src/common/caller.ts';
import type { CallOptions, CheckedResponse } from './call.ts';
import { deliveries } from './catalog.ts';
import { PROVOCATIONS, SHOWN_ELSEWHERE } from './provocations.ts';
import { startTestServer, type TestClient, type TestServer } from './test-server.ts';

/** What the test of an endpoint receives. */
export interface EndpointContext {
  server: TestServer;
  /** A client with all scopes and no contract feature. */
  client: TestClient;
  /** A token of a client with every scope and no feature. */
  token: string;
  /** A token of a client with every scope and every feature. */
  featured: string;
  /** The id of that client. The token is one of test mode. */
  featuredClientId: string;
  /** The request of the endpoint for a success, without its token; empty until it is made. */
  request: CallOptions;
}

/** What an endpoint must do. It repeats what the route declares, so that a test fails if the route changes. */
export interface EndpointTest {
  operationId: string;
  /** The method and the path. */
  operation: string;
  access: 'public' | 'any-token' | { scope: Scope } | { feature: string };
  /** The request for a success, without its token. Absent if the operation never succeeds. */
  request?: CallOptions | ((context: EndpointContext) => CallOptions | Promise<CallOptions>);
  /** Whether the success uses up what the request names, so that the request is made again for the errors. */
  usesUp?: true;
  /** The status of the success; 200 by default. */
  status?: 200 | 201 | 202;
  /** The settings of the server that the success needs. */
  config?: Partial<Config>;
  /** The errors that the operation declares and another test provokes, because they need other settings. */
  elsewhere?: readonly string[];
  /** Checks the success, which already matches the OpenAPI document. */
  expectResponse?(response: CheckedResponse, context: EndpointContext): void;
  /** Registers more tests on the same server. */
  more?(context: () => EndpointContext): void;
}

/** Tests an endpoint over HTTP: its success, its access rule, and each error that it declares. */
export function testEndpoint(endpoint: EndpointTest): void {
  const { operationId, operation, access, status: success = 200 } = endpoint;
  describe(operation, () => {
    let context: EndpointContext;
    beforeAll(async () => {
      const server = await startTestServer({
        tracks: deliveries(5),
        ...(endpoint.config && { config: endpoint.config }),
      });
      const client = await server.createClient();
      const whole = await server.createClient({ scopes: ALL_SCOPES });
      const featured = await server.createClient({ scopes: ALL_SCOPES, features: FEATURES });
      context = {
        server,
        client,
        token: await whole.token(),
        featured: await featured.token(),
        featuredClientId: featured.clientId,
        request: {},
      };
      await prepareRequest();
    });
    afterAll(() => context?.server.close());

    const prepareRequest = async () => {
      const { request = {} } = endpoint;
      context.request = typeof request === 'function' ? await request(context) : request;
    };

    const callWith = (token: string) =>
      context.server.call(operationId, {
        ...(access !== 'public' && { token }),
        ...context.request,
      });

    it(`is ${operationId}`, () => {
      const { method, path } = context.server.contract.operation(operationId);
      expect(`${method} ${path}`).toBe(operation);
    });

    if (endpoint.request !== undefined) {
      it(`responds with ${success}`, async () => {
        const response = await callWith(await context.client.token());
        expect(response.status).toBe(success);
        endpoint.expectResponse?.(response, context);
      });
    }

    if (typeof access === 'object' && 'scope' in access) {
      it.each(SCOPES)(
        `accepts a token of the scope ${access.scope} alone: %s`,
        async (held: Scope) => {
          const { status, error, headers } = await callWith(
            await context.client.token({ scope: held }),
          );
          if (held === access.scope) {
            expect(status).toBe(success);
            return;
          }
          expect({ status, type: error.type }).toEqual({ status: 403, type: 'insufficient_scope' });
          expect(headers['www-authenticate']).toBe(
            `Bearer realm="stave", error="insufficient_scope", scope="${access.scope}"`,
          );
        },
      );
    }

    it('responds with each error that it declares', async () => {
      const { server } = context;
      if (endpoint.usesUp) await prepareRequest();
      const declared = server.contract.declaredErrors(operationId).map(({ kind }) => kind);
      if (access !== 'public') expect(declared).toContain('invalid_token');
      const isShown = (kind: string) =>
        SHOWN_ELSEWHERE.has(kind) || endpoint.elsewhere?.includes(kind);
      for (const kind of declared.filter((one) => !isShown(one))) {
        const provoke = PROVOCATIONS[kind];
        expect(provoke, `a request that provokes ${kind}`).toBeDefined();
        const response = await server.call(operationId, await provoke!(operationId, context));
        const { status, error } = response;
        expect({ operationId, status, type: error.type }).toMatchObject({
          operationId,
          type: kind,
        });
        expect(response.error.code).toBe(response.status);
        expect(response.error.requestId).toBe(response.headers['x-request-id']);
        expect(response.error.docs).toMatch(new RegExp(`^https?://[^#]+/docs/errors#${kind}$`));
        expect(response.data).toEqual({});
      }
    });

    endpoint.more?.(() => context);
  });
}
