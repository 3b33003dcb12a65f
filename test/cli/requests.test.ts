import { beforeAll, describe, expect, it } from 'vitest';
import type { EndedCall } from '../../src/common/caller.ts';
import { DAY_MS, systemClock } from '../../src/common/clock.ts';
import { newId } from '../../src/common/ids.ts';
import { CallRecorder } from '../../src/features/access/call-recorder.ts';
import { openStoreOf, stave, staveJson, temporaryFolder } from '../harness/cli.ts';

using folder = temporaryFolder();
const data = folder.path;

const requestId = newId();
let clientId: string;
let secretId: string;
/** The day of the requests: they may be recorded around midnight. */
let today: string;
beforeAll(async () => {
  const made = await staveJson(data, ['clients', 'create', '-n', 'Acme', '-s', 'tracks']);
  clientId = made.clientId;
  const { secrets } = await staveJson(data, ['clients', 'show', clientId]);
  secretId = secrets[0].secretId;
  const store = await openStoreOf(data);
  const onError = (error: unknown) => {
    throw error;
  };
  const now = systemClock.now();
  today = new Date(now).toISOString().slice(0, 10);
  const clock = { now: () => now };
  const recorder = new CallRecorder({ clock, store: store.calls, onError, isClient: () => true });
  const call: EndedCall = {
    ...{ clientId, secretId, requestId, operationId: 'listTracks', status: 200, ms: 3 },
    ...{ error: undefined, problem: undefined, caller: '203.0.113.7' },
    ...{ method: 'GET', path: '/v1/tracks' },
  };
  recorder.ended(call);
  recorder.ended({
    ...call,
    status: 400,
    error: 'invalid_request',
    problem: 'page must\u001b[31m',
  });
  recorder.ended({ ...call, status: undefined, requestId: 'cut', error: 'internal_error' });
  recorder.ended({
    ...call,
    status: 401,
    secretId: undefined,
    requestId: 'no',
    error: 'invalid_client',
  });
  for (let i = 0; i < 24; i++) recorder.ended({ ...call, caller: `198.51.100.${i}` });
  await recorder.write();
  await store.calls.addDays([
    {
      clientId,
      secretId,
      at: now - (now % DAY_MS) - 9 * DAY_MS,
      outcome: 'ok',
      underMs: 5,
      requests: 7,
    },
  ]);
  await store.close();
  return () => folder[Symbol.dispose]();
});

describe('stave requests', () => {
  it('shows why the request with an id failed', async () => {
    const { stdout } = await stave(data, ['requests', requestId]);
    const [heading, line, ...others] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(
      /^WHEN +REQUEST +CLIENT +SECRET +CALLER +PATH +STATUS +ERROR +PROBLEM$/,
    );
    expect(line!.split(/ {2,}/).slice(1)).toEqual([
      ...[requestId, 'Acme', secretId, '203.0.113.7', 'GET /v1/tracks', '400', 'invalid_request'],
      'page must\uFFFD[31m',
    ]);
    expect(others).toEqual([]);
    expect(await staveJson(data, ['requests', requestId])).toMatchObject([
      {
        clientId,
        clientName: 'Acme',
        requestId,
        operationId: 'listTracks',
        path: '/v1/tracks',
        status: 400,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });

  it('lists the last errors, of all clients or of one', async () => {
    const all = await staveJson(data, ['requests']);
    expect(all.map(({ error }: { error: string }) => error).sort()).toEqual([
      ...['internal_error', 'invalid_client', 'invalid_request'],
    ]);
    expect(await staveJson(data, ['requests', '--client', clientId])).toEqual(all);
    const { stdout } = await stave(data, ['requests', '--client', clientId]);
    expect(stdout).toMatch(/ aborted +internal_error/);
    expect(stdout).toMatch(/ none +203\.0\.113\.7 .* invalid_client/);
    const other = await staveJson(data, ['clients', 'create', '-n', 'Other', '-s', 'tracks']);
    const none = await stave(data, ['requests', '--client', other.clientId]);
    expect(none.stdout).toBe('no request has failed\n');
  });

  it.each([
    [['requests', 'unknown'], 'No error of the request "unknown" is kept.'],
    [['requests', '--client', newId()], 'There is no client'],
    [['requests', '--client', ''], 'It must not be empty.'],
    [['requests', ''], 'It must not be empty.'],
  ])('says what is wrong with %j', async (args, problem) => {
    const { code, stderr } = await stave(data, args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
  });
});

describe('stave clients show', () => {
  it('shows the requests and errors of each day, and the addresses', async () => {
    const { stdout } = await stave(data, ['clients', 'show', clientId]);
    expect(stdout).toMatch(/^DAY +REQUESTS +P50 +P95 +ERRORS$/m);
    const row = stdout.split('\n').find((line) => line.startsWith(today))!;
    expect(row.split(/ {2,}/).slice(1, 4)).toEqual(['28', '3.5 ms', '4.8 ms']);
    for (const error of ['invalid_request', 'internal_error', 'invalid_client']) {
      expect(row).toContain(`1 ${error}`);
    }
    expect(stdout).toMatch(/^SECRET +ADDRESS +REQUESTS +ERRORS +FIRST USED +LAST USED$/m);
    expect(stdout).toContain('\nand 5 more: see --json\n');
    expect(stdout).toContain('\nDAY ');
    expect(stdout.match(/^\d{4}-\d\d-\d\d +\d+ /gm)).toHaveLength(1);
  });

  it('shows more days, and all addresses, to scripts', async () => {
    const shown = await staveJson(data, ['clients', 'show', clientId, '--days', '10']);
    expect(shown.days).toMatchObject([
      {
        ...{ day: today, requests: 28, bySecret: { [secretId]: 27, '': 1 } },
        errors: { invalid_request: 1, internal_error: 1, invalid_client: 1 },
      },
      { requests: 7, errors: {} },
    ]);
    expect(shown.addresses).toHaveLength(25);
    expect(shown.addresses).toContainEqual({
      ...{ secretId, address: '203.0.113.7', requests: 3, errors: 2 },
      ...{ firstAt: expect.any(String), lastAt: expect.any(String) },
    });
    const { code, stderr } = await stave(data, ['clients', 'show', clientId, '--days', '398']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('from 1 to 397')]);
  });
});
