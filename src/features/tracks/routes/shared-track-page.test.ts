import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { collectGarbage } from '../../../../test/harness/collect-garbage.ts';
import { until } from '../../../../test/harness/until.ts';
import type { Caller } from '../../../common/caller.ts';
import { newId } from '../../../common/ids.ts';
import { pageAround } from '../../../engines/http/schemas.ts';
import { callerOf, documentOf, pagesOver, START, time } from './track-page.test-support.ts';

beforeEach(() => {
  time.now = START;
});
const caller = callerOf(newId());

describe('TrackPages, shared pages', () => {
  const clients = [newId(), newId()];
  const documents = [null, `${'0a'.repeat(32)}.png`].map((artworkKey, i) =>
    documentOf(Object.assign({ id: newId() }, { name: `Ébauche ${i}` }), artworkKey),
  );
  const pages = pagesOver(documents);
  const frame = pageAround([1, 2], 41, { page: 2, pageSize: 20 });
  const pageFor = async (to: Caller) => (await pages.page(frame, to)).envelope;
  const callersOf = (hasPreviews: boolean) =>
    fc
      .tuple(fc.constantFrom(...clients), fc.constantFrom('test' as const, 'live' as const))
      .map(([clientId, mode]) => callerOf(clientId, mode, hasPreviews));

  it.each([false, true])(
    'makes the bytes that a new page for the caller has, in any order of callers and times, with previews: %s',
    (hasPreviews) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({
              to: callersOf(hasPreviews),
              afterMs: fc.nat(12_000),
              isSent: fc.boolean(),
            }),
            {
              maxLength: 12,
            },
          ),
          async (requests) => {
            time.now = START;
            const issueTo = (await pages.page(frame, callerOf(newId(), 'test', hasPreviews)))
              .share!();
            const unsent: [Buffer, Buffer][] = [];
            for (const { to, afterMs, isSent } of requests) {
              time.now += afterMs;
              const issued = issueTo(to)!;
              const { envelope } = issued;
              expect(envelope.toString()).toBe((await pageFor(to)).toString());
              if (isSent) issued.release!();
              else unsent.push([envelope, Buffer.from(envelope)]);
            }
            // A response that is still being sent must not change.
            for (const [envelope, copy] of unsent) expect(envelope.equals(copy)).toBe(true);
          },
        ),
      ),
  );

  it('returns the same buffer and issue to the same caller until new URLs are issued', async () => {
    const { envelope, share } = await pages.page(frame, caller);
    const issueTo = share!();
    const first = issueTo(caller)!;
    expect(first.envelope.equals(envelope)).toBe(true);
    expect(issueTo(caller)).toBe(first);
    time.now += 10_000;
    expect(issueTo(caller)!.issue).not.toBe(first.issue);
  });

  it('writes into the same bytes again when all responses with them were sent', async () => {
    const [first, second] = clients.map((clientId) => ({ ...caller, clientId })) as [
      Caller,
      Caller,
    ];
    const issueTo = (await pages.page(frame, first)).share!();
    const issued = [issueTo(first)!, issueTo(first)!];
    issued[0]!.release!();
    const copied = issueTo(second)!;
    expect(copied.envelope).not.toBe(issued[1]!.envelope);
    copied.release!();
    expect(issueTo(first)!.envelope).toBe(copied.envelope);
  });

  it('holds no more memory than the envelope, whenever the URLs were issued', async () => {
    await collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const held = [];
    for (let i = 0; i < 200; i++) {
      time.now += 10_000;
      held.push((await pages.page(frame, caller)).share!());
      // Fills the rest of Node's buffer pool, which a slice would keep in memory.
      for (let bytes = 0; bytes < Buffer.poolSize; bytes += 1000) Buffer.from('x'.repeat(1000));
    }
    // V8 frees the memory of buffers in another thread, some time after the collection.
    await until(async () => {
      await collectGarbage();
      return process.memoryUsage().arrayBuffers - before < 4_000_000;
    }, 'the buffers to be freed');
    expect(held).toHaveLength(200);
  });

  it('leaves a caller to the handler whose URLs have another length', async () => {
    const issueTo = (await pages.page(frame, caller)).share!();
    expect(issueTo({ ...caller, clientId: 'short' })).toBeUndefined();
  });

  it('leaves a caller to the handler who sees other members', async () => {
    for (const hasPreviews of [false, true]) {
      const first = callerOf(clients[0]!, 'test', hasPreviews);
      const issueTo = (await pages.page(frame, first)).share!();
      expect(issueTo(callerOf(clients[0]!, 'test', !hasPreviews))).toBeUndefined();
      expect(issueTo(first)).toBeDefined();
    }
  });
});
