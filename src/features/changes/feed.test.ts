import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change, ChangeEntity, LogBounds } from '../../engines/change-log/change-log.ts';
import { ChangeFeed, type FeedFilter, type FeedPage, type FeedStart } from './feed.ts';

const EPOCH = '00f1c2d3e4a5b6ff';
const START = 1_000_000;

/** A log in memory, and a node whose catalog has taken it in up to `position`. */
class Node {
  readonly rows: Change[] = [];
  position = 0;
  floor = 0;
  /** Called before each read of rows. */
  beforeRead = () => {};

  write(entity: ChangeEntity, kind: string, at: number): void {
    this.rows.push({ seq: this.rows.length + 1, at, entity, kind } as Change);
  }

  /** Writes changes, each some time after the one before. */
  writeAll(rows: readonly { entity: ChangeEntity; kind: string; after: number }[]): void {
    for (const { entity, kind, after } of rows) {
      this.write(entity, kind, (this.rows.at(-1)?.at ?? START) + after);
    }
  }

  takeIn(seq = this.rows.length): void {
    this.position = this.rows.findLast((row) => row.entity === 'track' && row.seq <= seq)?.seq ?? 0;
  }

  bounds(): LogBounds {
    const head = this.rows.length;
    const headAt = this.rows.at(-1)?.at ?? 0;
    const floorAt = this.rows[this.floor - 1]?.at ?? 0;
    return { head, headAt, floor: this.floor, floorAt, epoch: EPOCH };
  }

  readonly feed = new ChangeFeed({
    log: {
      bounds: async () => this.bounds(),
      since: async (seq, entities, limit) => {
        this.beforeRead();
        return this.rows
          .filter((row) => row.seq > Math.max(seq, this.floor) && entities.includes(row.entity))
          .slice(0, limit);
      },
      latest: async (_, { beforeSeq } = {}) =>
        this.rows
          .slice(0, beforeSeq! - 1)
          .slice(-1)
          .map((row) => ({ ...row, reason: null, reference: null })),
      firstAt: async (time) => this.rows.find(({ at }) => at >= time)?.seq,
    },
    clock: { now: () => START },
    position: () => this.position,
  });

  page(start: FeedStart, filter: Partial<FeedFilter> = {}): Promise<FeedPage> {
    return this.feed.page(start, { limit: 100, wants: () => true, ...filter });
  }
}

const from = (seq: number) => ({ epoch: EPOCH, seq });
const seqs = ({ changes }: FeedPage) => changes.map(({ seq }) => seq);

describe('the feed of changes', () => {
  const row = fc.record({
    entity: fc.constantFrom<ChangeEntity>('track', 'track', 'client'),
    kind: fc.constantFrom('created', 'updated', 'taken_down'),
    after: fc.constantFrom(0, 0, 1, 20_000),
  });

  it('reads the log once for requests of the same turn, and again for later ones', async () => {
    const node = new Node();
    node.writeAll([{ entity: 'track', kind: 'created', after: 0 }]);
    node.takeIn();
    let reads = 0;
    node.beforeRead = () => {
      reads++;
    };
    const pages = await Promise.all(Array.from({ length: 100 }, () => node.page(from(0))));
    expect(pages.map(seqs)).toEqual(Array(100).fill([1]));
    expect(reads).toBe(1);
    node.writeAll([{ entity: 'track', kind: 'updated', after: 0 }]);
    node.takeIn();
    expect(seqs(await node.page(from(0)))).toEqual([1, 2]);
    expect(reads).toBe(2);
  });

  it('misses nothing and repeats nothing by cursors, while nodes are behind and change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 40 }),
        fc.array(fc.record({ limit: fc.integer({ min: 1, max: 5 }), upTo: fc.nat(40) })),
        fc.boolean(),
        async (rows, reads, onlyTakedowns) => {
          const node = new Node();
          node.writeAll(rows);
          const wants = ({ kind }: Change) => !onlyTakedowns || kind === 'taken_down';
          const wanted = node.rows.filter((one) => one.entity === 'track' && wants(one));
          const seen: number[] = [];
          let cursor = from(0);
          const read = async (limit: number) => {
            const page = await node.page(cursor, { limit, wants });
            expect(page.seq).toBeGreaterThanOrEqual(cursor.seq);
            expect(page.changes.length).toBeLessThanOrEqual(limit);
            expect(seqs(page).every((seq) => seq <= node.position)).toBe(true);
            seen.push(...seqs(page));
            cursor = { epoch: page.epoch, seq: page.seq };
            return page;
          };
          for (const { limit, upTo } of reads) {
            node.takeIn(upTo);
            await read(limit);
          }
          node.takeIn();
          while ((await read(3)).hasMore);
          expect(seen).toEqual(wanted.map(({ seq }) => seq));
          expect(cursor.seq).toBe(rows.length);
        },
      ),
    );
  });

  it('misses nothing by times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 30 }), fc.nat(30), async (rows, first) => {
        const node = new Node();
        const seen = new Set<number>();
        let since = 0;
        for (const part of [rows.slice(0, first), rows.slice(first)]) {
          node.writeAll(part);
          node.takeIn();
          let page = await node.page({ since }, { limit: 4 });
          for (; page.hasMore; page = await node.page(page, { limit: 4 })) {
            expect(page.nextSince).toBeNull();
            for (const seq of seqs(page)) seen.add(seq);
          }
          for (const seq of seqs(page)) seen.add(seq);
          since = page.nextSince!;
        }
        const tracks = node.rows.filter(({ entity }) => entity === 'track');
        expect([...seen].sort((a, b) => a - b)).toEqual(tracks.map(({ seq }) => seq));
      }),
    );
  });

  it('returns nothing and the same cursor from a node that is behind', async () => {
    const node = new Node();
    for (let i = 0; i < 5; i++) node.write('track', 'updated', START + i);
    node.takeIn(2);
    expect(await node.page(from(4))).toMatchObject({ changes: [], seq: 4, hasMore: false });
    const page = await node.page(from(0));
    expect({ ...page, changes: seqs(page) }).toMatchObject({
      changes: [1, 2],
      seq: 2,
      hasMore: false,
      nextSince: START + 1,
    });
  });

  it('examines 10,000 rows at most', async () => {
    const node = new Node();
    for (let i = 0; i < 10_001; i++) node.write('track', 'updated', START);
    node.write('track', 'taken_down', START);
    node.takeIn();
    const wants = ({ kind }: Change) => kind === 'taken_down';
    const page = await node.page(from(0), { wants });
    expect(page).toMatchObject({ changes: [], seq: 10_000, hasMore: true, nextSince: null });
    expect(seqs(await node.page(page, { wants }))).toEqual([10_002]);
  });

  it('refuses a position after which changes expire while it reads', async () => {
    const node = new Node();
    for (let i = 0; i < 5; i++) node.write('track', 'updated', START + i);
    node.takeIn();
    node.beforeRead = () => {
      node.floor = 3;
    };
    await expect(node.page(from(1))).rejects.toMatchObject({ kind: 'gone' });
    expect(seqs(await node.page(from(3)))).toEqual([4, 5]);
  });

  it('gives a time even where the log has none', async () => {
    const node = new Node();
    for (const since of [77, 0, -77]) {
      expect(await node.page({ since })).toMatchObject({ seq: 0, nextSince: since });
    }
    expect(await node.page(from(0))).toMatchObject({ seq: 0, nextSince: 0 });
    node.write('track', 'created', START - 50_000);
    node.floor = 1;
    expect(await node.page(from(1))).toMatchObject({ nextSince: START - 40_000 });
    await expect(node.page({ since: START - 40_001 })).rejects.toMatchObject({ kind: 'gone' });
    expect(await node.page({ since: START - 40_000 })).toMatchObject({ changes: [] });
  });

  it('begins with the log at any time before it, if nothing has expired', async () => {
    const node = new Node();
    node.write('track', 'created', START);
    node.takeIn();
    for (const since of [START, 0, Date.parse('1969-12-31'), Date.parse('0000-01-01')]) {
      expect(seqs(await node.page({ since }))).toEqual([1]);
    }
  });

  it('refuses a time that lies in the future of the clock and of the log', async () => {
    const node = new Node();
    const future = { kind: 'invalid_request', details: [{ field: 'since' }] };
    await node.page({ since: START + 10_000 });
    await expect(node.page({ since: START + 10_001 })).rejects.toMatchObject(future);
    node.write('client', 'created', START + 60_000);
    await node.page({ since: START + 70_000 });
    await expect(node.page({ since: START + 70_001 })).rejects.toMatchObject(future);
  });
});
