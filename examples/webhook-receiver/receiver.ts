import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pauseAfter, Stave } from '../mirror/stave.ts';
import { type Chain, type Change, Inbox, type Message } from './inbox.ts';
import { isGenuine } from './verify.ts';

type Page = { items: Change[]; nextCursor: string; hasMore: boolean };
/** Messages have less than 20 kB. */
const MOST_BYTES = 65_536;

/** Returns the status of the response: 2xx if the message is stored. */
async function receive(request: IncomingMessage): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
    if (chunks.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES) return 413;
  }
  const body = Buffer.concat(chunks);
  if (!isGenuine(WEBHOOK_SECRET, request.headers, body)) return 401;
  const message = JSON.parse(body.toString()) as Message;
  const isNew = inbox.receive(String(request.headers['webhook-id']), message);
  console.log(`${message.type} ${isNew ? 'received' : 'received again'}`);
  return 204;
}

/** Reads from the feed of changes what missing messages said. */
async function readFeed(gap: Chain): Promise<void> {
  const query = `cursor=${gap.cursor}&types=${gap.type}&tracks=false&limit=500`;
  const page = (await stave.json(`/v1/tracks/changes?${query}`)) as Page;
  inbox.catchUp(gap, page.items, page.nextCursor, !page.hasMore);
  console.log(`${gap.type}: ${page.items.length} from the feed`);
}

const { STAVE_URL, STAVE_CLIENT_ID, STAVE_CLIENT_SECRET, WEBHOOK_SECRET = '', PORT } = process.env;
const credentials = { client_id: STAVE_CLIENT_ID, client_secret: STAVE_CLIENT_SECRET };
const stave = new Stave(STAVE_URL ?? 'http://127.0.0.1:8080', credentials);
const inbox = new Inbox(process.argv[2] ?? 'inbox.db');
// A minute ago, because the clocks may differ. What changed since then may be stored twice.
const since = new Date(Date.now() - 60_000).toISOString();
const start = (await stave.json(`/v1/tracks/changes?since=${since}&limit=1`)) as Page;
for (const type of ['created', 'updated', 'taken_down', 'restored']) {
  inbox.begin(`track.${type}`, start.nextCursor);
}
createServer(async (request, response) => {
  const status = await receive(request).catch(() => 500);
  response.writeHead(status).end();
}).listen(Number(PORT ?? 3_000), () => console.log('listening'));
for (let failures = 0; ; ) {
  try {
    const gap = inbox.gap();
    await (gap === undefined ? sleep(200) : readFeed(gap));
    failures = 0;
  } catch (error) {
    await pauseAfter(error, failures++);
  }
}
