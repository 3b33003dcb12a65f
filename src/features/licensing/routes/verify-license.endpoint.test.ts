import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import { publishCard } from '../../../../test/harness/licensing.ts';
import { sell } from '../../../../test/harness/sold-licenses.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';

/** A license of live mode, as `createLicense` shows it. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of which the tests read any member
let license: any;

testEndpoint({
  operationId: 'verifyLicense',
  operation: 'GET /v1/licenses/{number}/verify',
  access: 'public',
  async request({ server }: EndpointContext) {
    await publishCard(server.operator.store);
    const client = await server.createClient({ features: ['licensing'] });
    const token = await client.token({ mode: 'live' });
    license = await sell(server, token, { tracks: [delivery(0).id] });
    return { params: { number: license.number } };
  },
  expectResponse({ data }) {
    const { quoteId, amountMinor, currency, certificate, pdfUrl, verifyUrl, ...shown } = license;
    const { termsVersion, termsUrl, parts, purchaseOrder, by, ...rest } = shown;
    expect(data).toEqual({
      ...rest,
      valid: true,
      licensee: { name: license.licensee.name },
      project: { name: license.project.name },
      certificateSha256: createHash('sha256').update(certificate).digest('hex'),
    });
    expect(data).toMatchObject({ status: 'active', mode: 'live' });
    expect([quoteId, amountMinor, currency, pdfUrl, verifyUrl, termsVersion, termsUrl]).toEqual(
      expect.not.arrayContaining([undefined]),
    );
  },
  more(context) {
    const verify = (number: string) =>
      context().server.call('verifyLicense', { params: { number } });

    it('does not slow a known number, after an address has used up its failures', async () => {
      // The test of errors has used them up.
      const { status, headers } = await verify('no-number');
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      for (let i = 0; i < 35; i++) {
        expect((await verify(license.number.toLowerCase())).status).toBe(200);
      }
      context().server.clock.advance(61);
      expect((await verify('no-number')).status).toBe(404);
    });

    it('shows test licenses as not valid', async () => {
      const { server, featured } = context();
      const tested = await sell(server, featured, { tracks: [delivery(1).id] });
      const { data } = await verify(tested.number);
      expect(data).toMatchObject({ valid: false, status: 'active', mode: 'test' });
    });

    it('shows takedowns, and leaves the license valid', async () => {
      const { store } = context().server.operator;
      const { id } = delivery(0);
      await setTrackState(store, id, 'taken_down', 'test:harness');
      const { data } = await verify(license.number);
      expect(data).toMatchObject({ valid: true, tracks: [{ trackId: id, takenDown: true }] });
      await setTrackState(store, id, 'live', 'test:harness');
      expect((await verify(license.number)).data.tracks[0].takenDown).toBe(false);
    });

    it('shows revocations', async () => {
      const { store, clock } = context().server.operator;
      const revocation = { reason: 'unpaid', now: clock.now() };
      await store.issuedLicenses.revoke(license.number, revocation, 'test:harness');
      const { data, body } = await verify(license.number);
      expect(data).toMatchObject({ valid: false, status: 'revoked' });
      expect(body.toString()).not.toContain('unpaid');
      expect(body.toString()).not.toContain('@');
    });
  },
});
