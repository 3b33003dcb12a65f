import { truncate } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import { publishCard } from '../../../../test/harness/licensing.ts';
import { sell } from '../../../../test/harness/sold-licenses.ts';
import { startTestServer } from '../../../../test/harness/test-server.ts';
import { wav } from '../../../../test/harness/wav.ts';

/** More than any machine sends before the license is revoked. */
const LARGE = 60_000_000_000;

/** The beginning of an RF64 file of that size. */
function headOf(sizeBytes: number): Buffer {
  const riff = wav(0);
  const ds64 = Buffer.from('ds64\x1c\0\0\0', 'latin1');
  const sizes = Buffer.alloc(28);
  const head = Buffer.concat([riff.subarray(0, 12), ds64, sizes, riff.subarray(12)]);
  head.write('RF64');
  head.writeUInt32LE(0xffff_ffff, 4);
  head.writeBigUInt64LE(BigInt(sizeBytes - 8), 20);
  head.writeBigUInt64LE(BigInt(sizeBytes - head.length), 28);
  head.writeUInt32LE(0xffff_ffff, head.length - 4);
  return head;
}

describe('a licensed download under way', () => {
  it('has its exact length from the beginning, and ends when its license is revoked', async () => {
    const server = await startTestServer({ tracks: [] });
    try {
      const { media, store } = server.operator;
      const { key } = await media.putBytes(headOf(LARGE), 'wav');
      await truncate(media.localPath!(key), LARGE);
      await server.deliver([delivery(0, { audioKey: key })]);
      await publishCard(store);
      const client = await server.createClient({ scopes: ['licensing'], features: ['licensing'] });
      const token = await client.token({ mode: 'live' });
      const { number } = await sell(server, token, { tracks: [delivery(0).id] });
      const { data } = await server.call('createDownloads', {
        token,
        params: { number },
        body: {},
      });
      const [{ url, bytes, tagged }] = data.items;
      expect(tagged).toBe(true);
      expect(bytes).toBeGreaterThan(LARGE);

      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        httpGet(url, { agent: false }, resolve).on('error', reject);
      });
      expect(response.headers['content-length']).toBe(String(bytes));
      let length = 0;
      let revoking: Promise<unknown> | undefined;
      let revokedAt = Number.POSITIVE_INFINITY;
      const reading = async () => {
        for await (const piece of response) {
          length += piece.length;
          revoking ??= store.issuedLicenses
            .revoke(number, { reason: 'unpaid', now: server.clock.now() }, 'test:harness')
            .then(() => {
              revokedAt = performance.now();
            });
        }
      };
      await expect(reading()).rejects.toThrow('aborted');
      const endedAt = performance.now();
      await revoking;
      // Within a second, of which the look-up takes less than half.
      expect(endedAt - revokedAt).toBeLessThan(1_000);
      expect(length).toBeLessThan(bytes);
    } finally {
      await server.close();
    }
  });
});
