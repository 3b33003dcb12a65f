import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { setClientEnabled } from '../../src/features/access/clients.ts';
import { delivery } from '../harness/catalog.ts';
import {
  errorOf,
  type PreviewServer,
  startPreviewServer,
  TRACKS,
} from '../harness/preview-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

/** As the contract states it (docs/contract/limits.md#requests-that-wait-for-previews). */
const MAX_OF_CLIENT = 100;

const { sounding, damaged } = TRACKS;

let started: PreviewServer;
const agent = new Agent({ keepAlive: false });
afterEach(async () => {
  await started.server.close();
});

/** Starts a server, and observes which renditions its requests wait for. */
async function start() {
  started = await startPreviewServer();
  const requested = vi.spyOn(started.server.service.context.store.renditions, 'request');
  return {
    ...started,
    /** Waits until requests wait for so many renditions. */
    waits: (count: number) => until(() => requested.mock.settledResults.length === count),
  };
}

/** Sends a request on a connection of its own. */
function begin(url: string, method = 'GET') {
  const outgoing = request(url, { method, agent });
  const response = new Promise<{ status: number; headers: IncomingMessage['headers'] }>(
    (resolve, reject) => {
      outgoing.once('error', reject);
      outgoing.once('response', (incoming) => {
        incoming.resume();
        resolve({ status: incoming.statusCode!, headers: incoming.headers });
      });
    },
  );
  response.catch(() => {});
  outgoing.end();
  return { outgoing, response };
}

/** Resolves after a time in which a request that does not wait has its response. */
const later = <Value>(value: Value): Promise<Value> => sleep(1_000, value);

describe('a preview that is not made yet', () => {
  it('is unavailable after ten seconds, never null, and there once it is made', async () => {
    const { open, whileMaking } = await start();
    const startedMs = performance.now();
    const [clip, json, head] = await Promise.all([
      open(sounding, 'previewUrl'),
      open(sounding, 'waveformUrl'),
      open(sounding, 'waveformDataUrl', { method: 'HEAD' }),
    ]);
    expect(performance.now() - startedMs).toBeGreaterThan(9_000);
    for (const response of [clip, json]) expect(errorOf(response)).toEqual([503, 'unavailable']);
    expect([head.status, head.body.length]).toEqual([503, 0]);
    for (const { headers } of [clip, json, head]) {
      expect(headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' });
    }
    expect((await whileMaking(() => open(sounding, 'previewUrl'))).status).toBe(200);
    expect((await open(sounding, 'waveformUrl')).status).toBe(200);
  });

  it('is waited for by a limited number of requests of a client, and none that has left', async () => {
    const { show, whileMaking, get, waits, server } = await start();
    const { previewUrl, waveformUrl } = (await show(sounding)) as Record<string, string>;
    const waiting = Array.from({ length: MAX_OF_CLIENT }, () => begin(previewUrl!));
    await waits(1);
    // The connections may be accepted in any order.
    await until(async () => (await begin(waveformUrl!).response).status === 503);
    const refused = await get(waveformUrl!, 'readWaveform');
    expect(errorOf(refused)).toEqual([503, 'unavailable']);
    expect(refused.headers['retry-after']).toBe('5');

    // A refused request puts its track first nevertheless.
    const { store } = server.operator;
    server.clock.advance(1);
    await get((await show(damaged)).previewUrl!, 'streamPreview');
    const { audioKey } = (await store.catalog.trackRecord(delivery(damaged).id))!;
    await until(async () => {
      const claim = await store.renditionClaims.claim('other', ['wav'], 1);
      if (claim !== undefined) await store.renditionClaims.release(claim);
      return claim?.audioKey === audioKey;
    });

    // Who leaves makes room for another, which then waits and gets the waveform.
    for (const { outgoing } of waiting.splice(0, 10)) outgoing.destroy();
    let late = begin(waveformUrl!, 'HEAD');
    await until(async () => {
      const outcome = await Promise.race([late.response, later('waits')]);
      if (outcome !== 'waits') late = begin(waveformUrl!, 'HEAD');
      return outcome === 'waits';
    });
    expect((await whileMaking(() => late.response)).status).toBe(200);
    for (const { outgoing } of waiting) outgoing.destroy();
  });

  it('is not waited for by a node that drains', async () => {
    const { show, server, waits } = await start();
    const { previewUrl, waveformUrl } = (await show(sounding)) as Record<string, string>;
    const waiting = [previewUrl!, waveformUrl!].map((url) => begin(url));
    await waits(2);
    const startedMs = performance.now();
    const closed = server.service.close();
    for (const { response } of waiting) {
      const { status, headers } = await response;
      expect([status, headers['retry-after']]).toEqual([503, '5']);
    }
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    await closed;
  });

  it.each([
    ['taken down', 410],
    ['disabled', 403],
  ])('is not sent if the track or the client was %s meanwhile', async (what, status) => {
    const { show, server, client, whileMaking, waits } = await start();
    const { operator } = server;
    const { previewUrl, id } = (await show(sounding)) as Record<string, string>;
    const { previewUrl: silentUrl } = await show(TRACKS.silent);
    server.clock.advance(20);
    const waiting = begin(previewUrl!);
    await waits(1);
    if (what === 'disabled') {
      await setClientEnabled(operator, client.clientId, false);
      // A track without audio has 404 at once until then.
      await until(async () => (await begin(silentUrl!).response).status === 403);
    } else {
      await setTrackState(operator.store, id!, 'taken_down', 'test:harness');
    }
    expect((await whileMaking(() => waiting.response)).status).toBe(status);
  });
});
