import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newSigningSecret, shownSigningSecret } from '../../src/engines/net/signature.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { until } from '../harness/until.ts';
import { startReceiver, startSender } from './webhook-receiver-support.ts';
import { withWebhooks } from './webhooks-support.ts';

const HOUR = 3_600;

afterEach(() => {
  vi.useRealTimers();
});

for (const adapter of ADAPTERS) {
  describe(`the reference library after a rotation on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    const start = async () => {
      const harness = await withWebhooks(await open());
      const { store, clock, me, create } = harness;
      const receiver = await startReceiver(() => ({ status: 204 }));
      const first = newSigningSecret();
      const { id } = await create({ url: receiver.url, secret: first });
      const { results: attempts } = startSender(store, clock);
      const rotate = async (revokePrevious: boolean) => {
        const secret = newSigningSecret();
        await store.webhooks.rotateSecret(id, { secret, revokePrevious }, me);
        return secret;
      };
      /** Sends a ping. Returns whether the library verifies it with each of the secrets. */
      const verified = async (...secrets: Buffer[]) => {
        const count = receiver.received.length;
        await store.webhookDeliveries.ping(id, me);
        // A message whose result is not stored is sent again after the clock has advanced.
        await until(() => receiver.received.length > count && attempts.length > count);
        const { body, headers } = receiver.received.at(-1)!;
        // The library compares the timestamp of the message with the time.
        vi.useFakeTimers({ toFake: ['Date'], now: clock.now() });
        const results = secrets.map((secret) => {
          try {
            new Webhook(shownSigningSecret(secret)).verify(body, headers as Record<string, string>);
            return true;
          } catch {
            return false;
          }
        });
        vi.useRealTimers();
        return results;
      };
      return { clock, first, rotate, verified };
    };

    it('verifies messages with both secrets for 24 hours', async () => {
      const { clock, first, rotate, verified } = await start();
      expect(await verified(first)).toEqual([true]);
      const second = await rotate(false);
      expect(await verified(first, second)).toEqual([true, true]);
      clock.advance(24 * HOUR - 1);
      expect(await verified(first, second)).toEqual([true, true]);
      clock.advance(1);
      expect(await verified(first, second)).toEqual([false, true]);
    });

    it('verifies messages only with the new secret after the former one is revoked', async () => {
      const { first, rotate, verified } = await start();
      const second = await rotate(false);
      const third = await rotate(true);
      expect(await verified(first, second, third)).toEqual([false, false, true]);
    });
  });
}
