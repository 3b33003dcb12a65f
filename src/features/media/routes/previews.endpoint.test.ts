import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/catalog.ts';
import {
  errorOf,
  messageOf,
  PREVIEW_MEMBERS,
  type PreviewMember,
  TRACKS,
  usePreviewServer,
} from '../../../../test/harness/preview-server.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { setClientEnabled } from '../../access/clients.ts';

const MEMBERS = Object.keys(PREVIEW_MEMBERS) as PreviewMember[];
const { sounding, silent, damaged, lost } = TRACKS;

describe('streamPreview and readWaveform', () => {
  const started = usePreviewServer();

  it('wait for what is made, and then respond at once', async () => {
    const { open, whileMaking } = started();
    const begin = () => Promise.all(MEMBERS.map((member) => open(sounding, member)));
    const [clip, json, dat] = await whileMaking(begin);
    expect(clip!.body.subarray(0, 500).toString(), 'the clip').not.toContain('"error"');
    expect([clip!.status, clip!.headers['content-type']]).toEqual([200, 'audio/mpeg']);
    expect([json!.status, json!.headers['content-type']]).toEqual([200, 'application/json']);
    expect([dat!.status, dat!.headers['content-type']]).toEqual([200, 'application/octet-stream']);
    for (const [i, member] of MEMBERS.entries()) {
      expect((await open(sounding, member)).body.equals([clip, json, dat][i]!.body)).toBe(true);
    }
  });

  it.each(MEMBERS)('respond with each declared status: %s', async (member) => {
    const { open, get, show, server, whileMaking } = started();
    const operationId = PREVIEW_MEMBERS[member];
    const whole = await open(sounding, member);
    expect(whole.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(whole.headers['cache-control']).toMatch(/^private, max-age=1[78]\d\d$/);
    expect(whole.headers['content-length']).toBe(String(whole.body.length));

    const tag = whole.headers.etag!;
    const same = await open(sounding, member, { headers: { 'If-None-Match': tag } });
    expect([same.status, same.headers.etag, same.body.length]).toEqual([304, tag, 0]);
    const other = await open(sounding, member, { headers: { 'If-Match': '"other"' } });
    expect(errorOf(other)).toEqual([412, 'precondition_failed']);
    const head = await open(sounding, member, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);

    const nothing = await open(silent, member);
    expect(errorOf(nothing)).toEqual([404, 'not_found']);
    expect(messageOf(nothing)).toBe('The track has no audio.');

    const failed = await whileMaking(() => open(damaged, member));
    expect(errorOf(failed)).toEqual([404, 'not_found']);
    expect(messageOf(failed)).toMatch(/^The track has no (?:preview clip|waveform): .+\.$/);

    const url = (await show(sounding))[member]!;
    const forged = await get(url.replace('mode=test', 'mode=live'), operationId);
    expect(errorOf(forged)).toEqual([403, 'invalid_signature']);
    expect(messageOf(forged)).toContain(member);

    await setTrackState(server.operator.store, delivery(sounding).id, 'taken_down', 'test:harness');
    expect(errorOf(await get(url, operationId))).toEqual([410, 'gone']);
    await setTrackState(server.operator.store, delivery(sounding).id, 'live', 'test:harness');
    await server.until(async () => (await get(url, operationId)).status === 200);
    await server.until(async () => (await show(sounding)).id !== undefined);
  });

  it('send ranges of the clip and of the binary waveform, and the whole JSON', async () => {
    const { open } = started();
    for (const member of ['previewUrl', 'waveformDataUrl'] as const) {
      const whole = await open(sounding, member);
      expect(whole.headers['accept-ranges']).toBe('bytes');
      const part = await open(sounding, member, { headers: { Range: 'bytes=10-29' } });
      expect([part.status, part.headers['content-range']]).toEqual([
        206,
        `bytes 10-29/${whole.body.length}`,
      ]);
      expect(part.body.equals(whole.body.subarray(10, 30))).toBe(true);
      const hash = createHash('sha256').update(whole.body).digest('hex');
      expect(whole.headers.etag).toBe(`"${hash}"`);
      const outside = await open(sounding, member, { headers: { Range: 'bytes=9999999-' } });
      expect(errorOf(outside)).toEqual([416, 'range_not_satisfiable']);
    }
    const json = await open(sounding, 'waveformUrl', { headers: { Range: 'bytes=10-29' } });
    expect(json.status).toBe(200);
    expect(json.headers['accept-ranges']).toBeUndefined();
  });

  it.each(MEMBERS)('are unavailable if the store lacks the file: %s', async (member) => {
    const { open, whileMaking } = started();
    const response = await whileMaking(() => open(lost, member));
    expect(errorOf(response)).toEqual([503, 'unavailable']);
    expect(messageOf(response)).toBe('The file cannot be read now; try again later.');
  });

  // The last test disables the client.
  it('refuse the URLs of a client that is disabled, and name their members', async () => {
    const { get, show, server, client } = started();
    const track = await show(sounding);
    server.clock.advance(20);
    await setClientEnabled(server.operator, client.clientId, false);
    for (const member of MEMBERS) {
      const operationId = PREVIEW_MEMBERS[member];
      await server.until(async () => (await get(track[member]!, operationId)).status === 403);
      const refused = await get(track[member]!, operationId);
      expect(errorOf(refused)).toEqual([403, 'url_expired']);
      expect(messageOf(refused)).toContain(member);
    }
  });
});
