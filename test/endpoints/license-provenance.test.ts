import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Provenance } from '../../src/features/catalog/provenance.ts';
import { delivery } from '../harness/catalog.ts';
import { publishCard } from '../harness/licensing.ts';
import { sell } from '../harness/sold-licenses.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const PROVENANCE: Provenance = {
  ai: 'assisted',
  aiParts: ['vocals'],
  trainingAllowed: null,
  statement: 'Sung by a machine.',
};
const SHOWN = { ...PROVENANCE, trainingAllowed: false };
const TRACK = delivery(0, { provenance: PROVENANCE });

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ tracks: [TRACK] });
  await publishCard(server.operator.store);
});
afterAll(() => server?.close());

it('a license and its certificate keep the provenance of the time of the sale', async () => {
  const { sourceProvenance } = server.operator.store;
  await sourceProvenance.set(TRACK.source, { trainingAllowed: false }, 'test:licenses');
  const token = await (await server.createClient({ features: ['licensing'] })).token();
  const license = await sell(server, token, { tracks: [TRACK.id] });
  expect(license.tracks).toMatchObject([{ trackId: TRACK.id, provenance: SHOWN }]);
  const [, payload] = license.certificate.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  expect(claims.license.tracks[0].provenance).toEqual(SHOWN);

  await sourceProvenance.set(TRACK.source, { trainingAllowed: true }, 'test:licenses');
  const params = { number: license.number };
  const { data } = await server.call('showLicense', { token, params });
  expect(data.tracks[0].provenance).toEqual(SHOWN);
  expect(data.certificate).toBe(license.certificate);
});
