import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deliveries, delivery } from '../harness/catalog.ts';
import { temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';
import { startReceiver } from '../harness/webhook-receiver.ts';

const FOLDER = new URL('../../examples/webhook-receiver/', import.meta.url);
const PROGRAM = fileURLToPath(new URL('receiver.ts', FOLDER));
const TYPES = ['track.created', 'track.updated', 'track.taken_down', 'track.restored'];

let server: TestServer;
let client: TestClient;
let secret: string;
let port: number;
let example: ChildProcess;
let output: string;
const folder = temporaryFolder();

beforeEach(async () => {
  output = '';
  port = await freePort();
  server = await startTestServer({ tracks: [] });
  client = await server.createClient({
    scopes: ['webhooks', 'changes'],
    features: ['webhooks', 'changes'],
  });
  const body = { url: `http://127.0.0.1:${port}/`, eventTypes: TYPES };
  const { data } = await server.call('createWebhook', { token: await client.token(), body });
  secret = data.secret;
});
afterEach(async () => {
  await stop();
  await server?.close();
});

/** Starts the example, and waits until it listens. */
async function start(): Promise<void> {
  const before = output.length;
  example = spawn(process.execPath, [PROGRAM, folder.at(`inbox-${port}.db`)], {
    env: {
      PATH: process.env.PATH,
      STAVE_URL: server.address,
      STAVE_CLIENT_ID: client.clientId,
      STAVE_CLIENT_SECRET: client.testSecret,
      WEBHOOK_SECRET: secret,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [example.stdout!, example.stderr!]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  await until(() => output.slice(before).includes('listening'), `the example: ${output}`);
}

async function stop(): Promise<void> {
  if (example.exitCode !== null || example.signalCode !== null) return;
  const ended = once(example, 'exit');
  example.kill('SIGKILL');
  await ended;
}

function read(sql: string): Record<string, unknown>[] {
  using database = new DatabaseSync(folder.at(`inbox-${port}.db`), { timeout: 10_000 });
  return database.prepare(sql).all();
}

const events = () => new Map(read('SELECT * FROM tracks').map((row) => [row.trackId, row.event]));

it('stores each message once, and refuses what the service did not sign', async () => {
  await start();
  await server.deliver(deliveries(3));
  await until(() => events().size === 3, 'the messages');
  const url = `http://127.0.0.1:${port}/`;
  const forged = await fetch(url, { method: 'POST', body: '{"type":"track.created","data":{}}' });
  expect(forged.status).toBe(401);

  const token = await client.token();
  const { data } = await server.call('listWebhooks', { token });
  const params = { id: data.items[0].id };
  await server.until(async () => {
    const query = { status: 'pending' };
    const found = await server.call('listWebhookDeliveries', { token, params, query });
    return found.data.totalRecords === 0;
  });
  const stored = read('SELECT id FROM messages');
  const body = { from: '2020-01-01T00:00:00Z', status: 'all' };
  expect((await server.call('replayWebhook', { token, params, body })).data.count).toBe(
    stored.length,
  );
  await until(() => output.includes('received again'), 'the repeated message');
  expect(read('SELECT id FROM messages')).toEqual(stored);
});

it('notices a message that was lost, and reads it from the feed', async () => {
  await start();
  await server.deliver([delivery(0)]);
  await until(() => events().size === 1, 'the first message');
  await stop();

  // Another program takes the next message for the example, and loses it.
  const thief = await startReceiver({ port });
  await server.deliver([delivery(1)]);
  await until(() => thief.verified(secret).length > 0, 'the lost message');
  await thief.close();

  await start();
  await server.deliver([delivery(2)]);
  await until(() => events().size === 3, 'what the lost message said');
  // It prints this, and closes the gap, after it has stored the changes.
  await until(() => /track\.created: \d+ from the feed/.test(output), 'the line about the feed');
  const gaps = () => read('SELECT type FROM chains WHERE gaps > 0');
  await until(() => gaps().length === 0, 'the end of the gap');
});

it('has under 150 lines', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
  const lines = files.flatMap((name) => readFileSync(new URL(name, FOLDER), 'utf8').split('\n'));
  expect(lines.length - files.length).toBeLessThan(150);
});
