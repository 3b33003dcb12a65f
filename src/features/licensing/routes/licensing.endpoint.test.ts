import { expect } from 'vitest';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import { LICENSEE, publishCard, quoteBody } from '../../../../test/harness/licensing.ts';

const access = { feature: 'licensing' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;
const NUMBER = /^TEST-\d{4}-\d{6}-[0-9A-HJKMNP-TV-Z]{8}$/;

const publish = ({ server }: EndpointContext) => publishCard(server.operator.store);

/** Requests a quote of the client with all features. Returns its data. */
async function quoted(context: EndpointContext) {
  await publish(context);
  const body = quoteBody();
  const { server, featured: token } = context;
  return (await server.call('createQuote', { token, body })).data;
}

const licenseBody = (quoteId: string) => ({
  quoteId,
  termsVersion: '2026-1',
  licensee: LICENSEE,
});

/** Buys a license for the client with all features. Returns its data. */
async function licensed(context: EndpointContext) {
  const { server, featured: token } = context;
  const body = licenseBody((await quoted(context)).id);
  return (await server.call('createLicense', { token, body })).data;
}

testEndpoint({
  operationId: 'readRateCard',
  operation: 'GET /v1/rate-card',
  access,
  async request(context) {
    await publish(context);
    return { token: context.featured };
  },
  expectResponse({ data }) {
    expect(data).toMatchObject({ name: 'standard', version: 1, currency: 'EUR', minorUnit: 2 });
  },
});

testEndpoint({
  operationId: 'createQuote',
  operation: 'POST /v1/quotes',
  access,
  status: 201,
  async request(context) {
    await publish(context);
    return { token: context.featured, body: quoteBody() };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ status: 'open', amountMinor: 18_000, licenseNumber: null });
    expect(data).toMatchObject({ purchaseOrder: null, remainingLimit: null });
    expect(data.id).toMatch(UUID);
    expect(headers.location).toBe(`/v1/quotes/${data.id}`);
  },
});

testEndpoint({
  operationId: 'listQuotes',
  operation: 'GET /v1/quotes',
  access,
  async request(context) {
    await quoted(context);
    return { token: context.featured };
  },
  expectResponse({ data }) {
    expect(data).toMatchObject({ totalRecords: 1, items: [{ status: 'open' }] });
  },
});

testEndpoint({
  operationId: 'showQuote',
  operation: 'GET /v1/quotes/{id}',
  access,
  async request(context) {
    const { id } = await quoted(context);
    return { token: context.featured, params: { id: id.toUpperCase() } };
  },
  expectResponse({ data }) {
    expect(data).toMatchObject({ status: 'open', project: { name: 'Spring ad' } });
  },
});

testEndpoint({
  operationId: 'createLicense',
  operation: 'POST /v1/licenses',
  access,
  status: 201,
  usesUp: true,
  async request(context) {
    const { id } = await quoted(context);
    return { token: context.featured, body: licenseBody(id) };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ status: 'active', mode: 'test', licensee: LICENSEE });
    expect(data.number).toMatch(NUMBER);
    expect(headers.location).toBe(`/v1/licenses/${data.number}`);
  },
});

testEndpoint({
  operationId: 'listLicenses',
  operation: 'GET /v1/licenses',
  access,
  async request(context) {
    await licensed(context);
    return { token: context.featured };
  },
  expectResponse({ data }) {
    expect(data).toMatchObject({ totalRecords: 1, items: [{ status: 'active' }] });
  },
});

testEndpoint({
  operationId: 'showLicense',
  operation: 'GET /v1/licenses/{number}',
  access,
  async request(context) {
    const { number } = await licensed(context);
    return { token: context.featured, params: { number: number.toLowerCase() } };
  },
  expectResponse({ data }) {
    expect(data.number).toMatch(NUMBER);
  },
});
