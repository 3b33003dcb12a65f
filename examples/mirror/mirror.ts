import { createHash } from 'node:crypto';
import { type Change, Copy } from './copy.ts';
import { pauseAfter, RequestFailed, Stave } from './stave.ts';

type Line =
  | { type: 'snapshot'; cursor: string; seq: number }
  | { type: 'track'; track: { id: string } }
  | { type: 'mark'; resume: string }
  | { type: 'end'; sha256: string };

/** Downloads the snapshot, from its last mark if an earlier download broke off. */
async function downloadSnapshot(resume: string | null): Promise<void> {
  if (resume === null) copy.startOver();
  const hash = createHash('sha256');
  const tracks: Change[] = [];
  let start = { cursor: '', seq: 0 };
  for await (const text of stave.lines(`/v1/tracks/snapshot${resume ? `?resume=${resume}` : ''}`)) {
    const line = JSON.parse(text) as Line;
    if (line.type === 'snapshot') start = line;
    if (line.type === 'mark') copy.store(tracks.splice(0), null, line.resume);
    if (line.type === 'track') {
      hash.update(`${text}\n`);
      tracks.push({ trackId: line.track.id, version: start.seq, track: line.track });
    }
    if (line.type === 'end' && line.sha256 === hash.digest('hex')) {
      copy.store(tracks, start.cursor, null);
      return console.log(`snapshot complete at ${start.seq}`);
    }
    // Damaged tracks before a mark are stored already.
    if (line.type === 'end') copy.startOver();
  }
  throw new RequestFailed('The snapshot is incomplete or damaged');
}

/** Stores the next page of changes, for which it waits up to half a minute. */
async function followChanges(cursor: string): Promise<void> {
  const page = await stave.json(`/v1/tracks/changes?cursor=${cursor}&limit=500&wait=30`);
  const { items, nextCursor } = page as { items: Change[]; nextCursor: string };
  copy.store(items, nextCursor, null);
  if (items.length > 0) console.log(`${items.length} changes, up to ${items.at(-1)!.version}`);
}

const { STAVE_URL, STAVE_CLIENT_ID, STAVE_CLIENT_SECRET } = process.env;
const credentials = { client_id: STAVE_CLIENT_ID, client_secret: STAVE_CLIENT_SECRET };
const stave = new Stave(STAVE_URL ?? 'http://127.0.0.1:8080', credentials);
const copy = new Copy(process.argv[2] ?? 'catalog.db');
// Until the process ends, which may happen at any moment.
for (let failures = 0; ; ) {
  try {
    const { cursor, resume } = copy.position();
    await (cursor === null ? downloadSnapshot(resume) : followChanges(cursor));
    failures = 0;
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 410) copy.startOver();
    else await pauseAfter(error, failures++);
  }
}
