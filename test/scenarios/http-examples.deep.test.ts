import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_KINDS } from '../../src/common/errors.ts';
import {
  addCommand,
  environment,
  type Serving,
  serve,
  staveJson,
  temporaryFolder,
} from '../harness/cli.ts';
import { until } from '../harness/until.ts';
import { startReceiver } from '../harness/webhook-receiver.ts';
import { bodiesOf, shellLinesOf, textOf } from './guide-lines.ts';
import { fillIn, parseHttpBlocks, parseHttpFile } from './http-file.ts';

const examples = parseHttpFile(textOf('examples/partner.http'));
const documented = parseHttpBlocks(textOf('docs/searching.md'));

describe('a fresh Stave with the demo catalog', () => {
  const folder = temporaryFolder();
  const values: Record<string, unknown> = {};
  let serving: Serving;
  /** The first client of the demo, which the guides use. */
  let plain: { clientId: string; testSecret: string };

  beforeAll(async () => {
    const data = folder.at('data');
    serving = await serve(data, {
      ...{ STAVE_DEMO: 'on', STAVE_WEBHOOK_TARGETS: 'any', STAVE_ANALYSIS: 'on' },
    });
    const { demo } = serving.printed;
    plain = demo;
    expect(Object.keys(demo)).toEqual([
      ...['clientId', 'testSecret', 'liveSecret', 'curl', 'contractClient'],
    ]);
    const { clientId, testSecret: clientSecret } = demo.contractClient;
    Object.assign(values, { base: serving.url, clientId, clientSecret });
    // The guides enable the features again, and then request a token at once. A busy node may not have taken the change in
    // by then.
    await staveJson(data, ['clients', 'update', plain.clientId, '--enable-features', 'all']);
    await until(async () => (await scopeOf(plain)).includes('similar'), 'the features');
    await until(
      async () => {
        const { queued, running, analyzed } = await staveJson(data, ['sound', 'status']);
        return analyzed > 0 && queued + running === 0;
      },
      'the analysis of the demo catalog',
      600_000,
    );
  }, 840_000);
  afterAll(async () => {
    await serving?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** Runs lines of a shell one after the other, each after an empty line, and returns what they print. */
  async function run(lines: readonly string[]): Promise<string> {
    const script = lines.join('\necho\n');
    expect(script).not.toContain('…');
    const env = environment(folder.at('data'));
    addCommand(folder.path);
    const options = { cwd: folder.path, env };
    return (await promisify(execFile)('sh', ['-e', '-c', script], options)).stdout;
  }

  async function scopeOf({ clientId, testSecret }: typeof plain): Promise<string> {
    const response = await fetch(`${serving.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: testSecret,
      }),
    });
    return response.ok ? ((await response.json()) as { scope: string }).scope : '';
  }

  /** Returns the first lines of a guide with the values of this Stave. */
  const withValues = (settings: string, { clientId, testSecret } = plain) =>
    settings
      .replace('http://127.0.0.1:8080', serving.url)
      .replace('CLIENT_ID=…', `CLIENT_ID=${clientId}`)
      .replace('CLIENT_SECRET=stave_test_…', `CLIENT_SECRET=${testSecret}`)
      .replace('TOKEN=…', `TOKEN=${token()}`);

  /** The token of the example that logs in. */
  const token = () => (values.login as { data: { access_token: string } }).data.access_token;

  /** The values of Getting started, and the commands of Stave. */
  const withCommands = () => [
    `STAVE=${serving.url} CLIENT_ID=${plain.clientId} CLIENT_SECRET=${plain.testSecret}`,
  ];

  test.each(examples)('responds to examples/partner.http: $title', async (example) => {
    const send = () =>
      fetch(fillIn(example.url, values), {
        method: example.method,
        headers: Object.fromEntries(
          Object.entries(example.headers).map(([name, text]) => [name, fillIn(text, values)]),
        ),
        ...(example.body !== undefined && { body: fillIn(example.body, values) }),
      });
    let response = await send();
    // A busy machine may take longer for a waveform than its first request waits, and files may still be analyzed.
    const isEarly = () => [409, 503].includes(response.status);
    await until(async () => {
      if (!isEarly() || response.status === example.expectedStatus) return true;
      response = await send();
      return false;
    });
    expect(response.status).toBe(example.expectedStatus);
    if (response.headers.get('content-type')?.startsWith('application/json')) {
      const envelope = await response.json();
      if (example.name !== undefined) {
        values[example.name] = envelope;
      }
    } else {
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    }
  });

  test('runs the lines of docs/README.md for the client with every contract feature', async () => {
    const lines = shellLinesOf('docs/README.md').find((block) => block.startsWith('STAVE='))!;
    const [found, verified] = bodiesOf(
      await run([withValues(lines, serving.printed.demo.contractClient)]),
    );
    expect(found.data.items[0]).toMatchObject({ slug: 'slow-current', name: 'Träge Strömung' });
    expect(verified.data).toMatchObject({ mode: 'test', status: 'active', valid: false });
    expect(readFileSync(folder.at('license.pdf')).toString('latin1', 0, 5)).toBe('%PDF-');
  });

  test('runs the lines of docs/getting-started.md, from credentials to a file that plays', async () => {
    const [settings, ...steps] = shellLinesOf('docs/getting-started.md');
    const stdout = await run([withValues(settings!), ...steps]);
    expect(stdout).toContain('"token_type":"Bearer"');
    expect(stdout).toContain('"slug":"night-bus-home"');
    expect(stdout).toContain('"type":"invalid_request"');
    expect(readFileSync(folder.at('track.wav')).toString('latin1', 0, 4)).toBe('RIFF');
    expect(readFileSync(folder.at('stave-client.tgz')).toString('hex', 0, 2)).toBe('1f8b');
  });

  test('runs the lines of docs/testing.md, which name every simulated error', async () => {
    const [settings, ...steps] = shellLinesOf('docs/testing.md');
    const { contractClient } = serving.printed.demo;
    const stdout = await run([withValues(settings!, contractClient), ...steps]);
    expect(stdout).toContain('"mode":"test"');
    const refused = await fetch(`${serving.url}/v1/me`, {
      headers: { Authorization: `Bearer ${token()}`, 'X-Stave-Simulate': '?' },
    });
    const { error } = (await refused.json()) as { error: { message: string } };
    const kinds = Object.entries(ERROR_KINDS).filter(([kind]) => error.message.includes(kind));
    expect(kinds).toHaveLength(11);
    expect(stdout.match(/^\w+ \d{3}$/gm)!.sort()).toEqual(
      kinds.map(([kind, { status }]) => `${kind} ${status}`).sort(),
    );
    expect(Number(/after ([\d.]+) s/.exec(stdout)![1])).toBeGreaterThan(0.3);
    expect(stdout).toContain('no response');
    expect(stdout).toContain('"name":"Stave Fixture"');
    expect(stdout).toContain('"type":"not_found"');
    expect(stdout).toContain('"notFound":["f1c70000-0000-4000-8000-000000000410"]');
    expect(stdout.match(/"status":"accepted"|"reason":"too_old"/g)).toEqual([
      '"status":"accepted"',
      '"reason":"too_old"',
    ]);
  });

  test('runs the lines of docs/mirroring.md', async () => {
    const [settings, ...steps] = shellLinesOf('docs/mirroring.md');
    const stdout = await run([withValues(settings!), ...steps]);
    expect(
      stdout.match(/\{"items":\[\],"nextCursor":"[^"]+",[^}]*"hasMore":false\}/g),
    ).toHaveLength(2);
  });

  test('runs the lines of docs/similar-tracks.md', async () => {
    const stdout = await run([...withCommands(), ...shellLinesOf('docs/similar-tracks.md')]);
    const lists = stdout
      .match(/^\{"data":\{"items":.*$/gm)!
      .map((line) => JSON.parse(line).data.items);
    expect(lists.map((items) => items.length)).toEqual([5, 5, 5, expect.any(Number)]);
    expect(lists[0][0]).toMatchObject({ reasons: { sharedFilters: expect.any(Array) } });
    expect(lists[2][0]).toMatchObject({ score: 1, track: { slug: 'night-bus-home' } });
    expect(lists[3].length).toBeGreaterThan(0);
  });

  test('runs the lines of docs/previews.md', async () => {
    const stdout = await run([...withCommands(), ...shellLinesOf('docs/previews.md')]);
    const [list, renewed] = stdout.match(/^\{"data":.*$/gm)!.map((line) => JSON.parse(line).data);
    const urls = ['previewUrl', 'waveformUrl', 'waveformDataUrl'];
    for (const name of urls) expect(list.items[0]).toHaveProperty(name, expect.any(String));
    expect(renewed.id).toBe(list.items[0].id);
    const { length, data } = JSON.parse(readFileSync(folder.at('waveform.json'), 'utf8'));
    expect(data).toHaveLength(2 * length);
    expect(stdout).toContain(`"length":${length}`);
  });

  test('runs the lines of docs/stems.md', async () => {
    const stdout = await run([...withCommands(), ...shellLinesOf('docs/stems.md')]);
    const { stems, versions } = JSON.parse(/^\{"data":.*$/m.exec(stdout)![0]).data;
    expect([stems.length, versions.length]).toEqual([5, 1]);
    expect(readFileSync(folder.at('part.wav'))).toHaveLength(stems[0].sizeBytes);
    expect(stdout).toContain('No errors detected in compressed data');
  });

  test('runs the lines of docs/shortlists.md', async () => {
    const stdout = await run([...withCommands(), ...shellLinesOf('docs/shortlists.md')]);
    const [added, list, reordered, stale, saved, found, fresh, seen] = bodiesOf(stdout);
    expect(added.data).toMatchObject({ notFound: ['no-such-track'], version: 2 });
    expect(list.data.items).toMatchObject([
      { position: 1, note: 'for the opening' },
      { position: 2, track: { slug: 'night-bus-home' } },
    ]);
    expect(reordered.data).toMatchObject({ trackCount: 2, version: 3 });
    expect(stale.error.type).toBe('precondition_failed');
    expect(saved.data).toMatchObject({ name: 'Calm nights', newCount: 0 });
    expect(saved.data.totalRecords).toBeGreaterThan(0);
    expect(found.data.totalRecords).toBe(saved.data.totalRecords);
    expect(fresh.data.items).toEqual([]);
    expect(seen.data.id).toBe(saved.data.id);
  });

  test('runs the lines of docs/licensing.md', async () => {
    const stdout = await run([...withCommands(), ...shellLinesOf('docs/licensing.md')]);
    const [, quote, refused, license, again, shown, list] = bodiesOf(stdout);
    expect(quote.data).toMatchObject({ status: 'open', amountMinor: 18_000 });
    expect(refused.error.details).toMatchObject([{ field: 'term' }]);
    expect(license.data).toMatchObject({ status: 'active', quoteId: quote.data.id });
    expect([again.data, shown.data, list.data.items[0]]).toEqual(Array(3).fill(license.data));
  });

  test('runs the lines of docs/webhooks.md', async () => {
    await using receiver = await startReceiver();
    const lines = shellLinesOf('docs/webhooks.md').map((block) =>
      block.replace('https://partner.example.com/hooks/stave', receiver.url),
    );
    const stdout = await run([...withCommands(), ...lines]);
    const [secret] = /^whsec_.*$/m.exec(stdout)!;
    const bodies = stdout.match(/^\{"data":.*$/gm)!.map((line) => JSON.parse(line).data);
    const [ping, delivered, , replay, rotated, deleted] = bodies;
    expect(delivered.items).toMatchObject([{ id: ping.deliveryId, attemptCount: 1 }]);
    expect(receiver.verified(secret)[0]).toMatchObject({ type: 'webhook.ping' });
    expect(replay).toEqual({ count: 0 });
    expect(rotated.secret).not.toBe(secret);
    expect(deleted.deleted).toBe(true);
  });

  test('runs the lines of docs/reporting-usage.md', async () => {
    const stdout = await run([...withCommands(), ...shellLinesOf('docs/reporting-usage.md')]);
    const [sent, again, mixed, malformed, byDay, byTrack, sync, sheet, inTime, late] =
      bodiesOf(stdout);
    expect(sent.data).toMatchObject({ received: 2, accepted: 2 });
    expect(again.data).toMatchObject({ received: 2, duplicates: 2 });
    const resultsOf = ({ data }: { data: { results: { status: string; reason?: string }[] } }) =>
      data.results.map(({ status, reason }) => reason ?? status);
    expect(resultsOf(mixed)).toEqual(['event_conflict', 'duplicate', 'too_old', 'accepted']);
    expect(malformed.error.details).toEqual([
      expect.objectContaining({ field: 'events[0].seconds' }),
    ]);
    expect(byDay.data.totals.seconds).toBeGreaterThanOrEqual(42 + 180);
    expect(byTrack.data.items[0].streams).toBeGreaterThanOrEqual(2);
    expect(sync.data.accepted).toBe(1);
    expect(sheet.data).toMatchObject({
      production: { title: 'Harbour Lights' },
      totals: { cues: 1 },
    });
    expect(readFileSync(folder.at('cue-sheet.csv'), 'utf8')).toMatch(/^Sequence,.*\r\n1,1,/);
    expect(inTime.data.results).toMatchObject([{ takenDown: false }, { takenDown: true }]);
    expect(resultsOf(late)).toEqual(['too_old', 'too_old']);
  });

  test('runs the lines of docs/retrying.md', async () => {
    const [settings, ...steps] = shellLinesOf('docs/retrying.md');
    const stdout = await run([withValues(settings!), ...steps]);
    expect(stdout).toContain('no response');
    expect(stdout).toMatch(/^status 200\nidempotency-replayed: true/im);
    expect(stdout).toContain('"accepted":1,"duplicates":0');
    expect(stdout).toContain('done with 200');
    expect(stdout).toMatch(/^status 422\n.*"idempotency_mismatch"/m);
  });

  test('finds tracks with the example of each parameter of the list', async () => {
    const headers = { Authorization: `Bearer ${token()}` };
    // biome-ignore lint/suspicious/noExplicitAny: JSON of which this test reads any member
    const json = async (path: string): Promise<any> =>
      (await fetch(serving.url + path, { headers })).json();
    const document = await json('/openapi.json');
    for (const { name, in: place, examples } of document.paths['/v1/tracks'].get.parameters) {
      if (place !== 'query') continue;
      const query = new URLSearchParams({ [name]: String(examples.example.value) });
      const { data } = await json(`/v1/tracks?${query}`);
      expect(data.totalRecords, name).toBeGreaterThan(0);
    }
  });

  test.each(documented)('responds to docs/searching.md: $title', async ({ method, url, body }) => {
    const response = await fetch(serving.url + url, {
      method,
      headers: {
        Authorization: `Bearer ${token()}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    expect(await response.json()).toMatchObject({
      data: { items: expect.any(Array) },
      error: { code: 0 },
    });
  });
});
