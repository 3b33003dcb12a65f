import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import { publishCard } from '../../../../test/harness/licensing.ts';
import { sell } from '../../../../test/harness/sold-licenses.ts';

/** Sells a license to the client with all features, in test mode. */
async function sold({ server, featured }: EndpointContext) {
  await publishCard(server.operator.store);
  const { number } = await sell(server, featured, { tracks: [delivery(0).id] });
  return { token: featured, params: { number } };
}

/** A token of another client, in test mode. */
async function tokenOfAnother({ server }: EndpointContext) {
  return (await server.createClient({ features: ['licensing'] })).token();
}

testEndpoint({
  operationId: 'readCertificate',
  operation: 'GET /v1/licenses/{number}/certificate',
  access: { feature: 'licensing' },
  request: sold,
  expectResponse({ body, headers }) {
    expect(headers['content-type']).toBe('application/jose');
    expect(body.toString()).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
  },
  more(context) {
    it('takes the time of a test request, which must be one', async () => {
      const { server, request } = context();
      for (const operation of ['readCertificate', 'readCertificatePdf']) {
        const at = (time: string) =>
          server.call(operation, { ...request, headers: { 'X-Stave-Now': time } });
        expect((await at('2031-01-30T00:00:00Z')).status).toBe(200);
        const { status, error } = await at('tomorrow');
        expect([status, error.details]).toMatchObject([400, [{ field: 'X-Stave-Now' }]]);
      }
    });

    it('is the text in the license, and is found by a number in either case', async () => {
      const { server, featured: token, request } = context();
      const { number } = request.params!;
      const { data } = await server.call('showLicense', { token, params: { number: number! } });
      const params = { number: number!.toLowerCase() };
      const { body } = await server.call('readCertificate', { token, params });
      expect(body.toString()).toBe(data.certificate);
    });

    it('is not found by another client, as an unknown number', async () => {
      const token = await tokenOfAnother(context());
      const { server, request } = context();
      const unknown = { params: { number: 'TEST-2026-000001-00000000' } };
      const answers = [];
      for (const options of [{ params: request.params! }, unknown]) {
        const { status, error } = await server.call('readCertificate', { ...options, token });
        answers.push({ status, type: error.type, message: error.message });
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]).toMatchObject({ status: 404, type: 'not_found' });
    });
  },
});

testEndpoint({
  operationId: 'readCertificatePdf',
  operation: 'GET /v1/licenses/{number}/certificate.pdf',
  access: { feature: 'licensing' },
  request: sold,
  expectResponse({ body, headers }, { request }) {
    expect(headers['content-type']).toBe('application/pdf');
    expect(headers['content-disposition']).toBe(
      `inline; filename="license-${request.params!.number}.pdf"`,
    );
    expect(headers.etag).toBe(`"${createHash('sha256').update(body).digest('hex')}"`);
    expect(body.toString('latin1', 0, 5)).toBe('%PDF-');
  },
  more(context) {
    it('responds with 304 to a known entity tag, and to HEAD without a body', async () => {
      const { server, request } = context();
      const whole = await server.call('readCertificatePdf', request);
      const headers = { 'If-None-Match': whole.headers.etag! };
      const again = await server.call('readCertificatePdf', { ...request, headers });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([
        304,
        0,
        whole.headers.etag,
      ]);
      const path = `/v1/licenses/${request.params!.number}/certificate.pdf`;
      const authorization = { Authorization: `Bearer ${request.token}` };
      const head = await server.http.send('HEAD', path, authorization);
      expect(head.headers['content-length']).toBe(String(whole.body.length));
      expect(head.body.length).toBe(0);
    });

    it('is not found by another client', async () => {
      const token = await tokenOfAnother(context());
      const { server, request } = context();
      const { status } = await server.call('readCertificatePdf', { ...request, token });
      expect(status).toBe(404);
    });
  },
});
