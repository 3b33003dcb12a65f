import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { allOf } from '../../../../test/harness/all-of.ts';
import { derivedId } from '../../../common/ids.ts';
import type { LiveDocument } from '../../catalog/catalog-stores.ts';
import { TextDocument } from '../../catalog/track-document.ts';
import { readResume, snapshotChunks } from './read-track-snapshot.ts';

const position = { epoch: '00f1c2d3e4a5b6ff', seq: 4_711 };
const HEAD = { position, after: 0, takenAt: Date.UTC(2026, 10, 21), tracks: 3 };

/** Documents with gaps between their row ids, in slices of this length. */
async function* documents(count: number, slice: number): AsyncGenerator<LiveDocument[]> {
  for (let from = 0; from < count; from += slice) {
    yield Array.from({ length: Math.min(slice, count - from) }, (_, i) => {
      const id = derivedId('snapshot', String(from + i));
      const document = new TextDocument(`{"id":"${id}","name":"夜 ${from + i}"}`, {
        artworkKey: i === 1 ? 'a.png' : null,
        streamExtension: '',
      });
      return { rowId: 3 * (from + i + 1), document };
    });
  }
}

async function chunksOf(count: number, slice: number, isEnding = () => false): Promise<Buffer[]> {
  const source = { documents: documents(count, slice), publicUrl: 'https://a.example', isEnding };
  return allOf(snapshotChunks(HEAD, source));
}

const linesOf = (chunks: readonly Buffer[]) =>
  Buffer.concat(chunks)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe('a snapshot', () => {
  it('begins with its position, and ends with the number and the hash of its tracks', async () => {
    const chunks = await chunksOf(2, 10);
    const [head, first, second, end, ...others] = linesOf(chunks);
    expect(head).toEqual({
      type: 'snapshot',
      cursor: expect.stringMatching(/^c1\./),
      seq: 4_711,
      takenAt: '2026-11-21T00:00:00.000Z',
      tracks: 3,
    });
    const id = derivedId('snapshot', '0');
    const artworkUrl = `https://a.example/media/artwork/generated-1-${id}.png`;
    expect(first).toEqual({ type: 'track', track: { id, name: '夜 0', artworkUrl } });
    expect(second.track.artworkUrl).toBe('https://a.example/media/artwork/a.png');
    const sha256 = createHash('sha256').update(chunks[1]!).digest('hex');
    expect(end).toEqual({ type: 'end', tracks: 2, sha256 });
    expect(others).toEqual([]);
  });

  it('of an empty catalog has no tracks', async () => {
    const sha256 = createHash('sha256').digest('hex');
    expect(linesOf(await chunksOf(0, 10)).slice(1)).toEqual([{ type: 'end', tracks: 0, sha256 }]);
  });

  it.each([100, 700, 3_000])(
    'has marks after every 10,000th track in slices of %d',
    async (slice) => {
      const lines = linesOf(await chunksOf(20_001, slice));
      const marks = lines.flatMap(({ type }, i) => (type === 'mark' ? [i] : []));
      expect(marks).toEqual([10_001, 20_002]);
      expect(marks.map((i) => readResume(lines[i].resume))).toEqual([
        { position, after: 30_000 },
        { position, after: 60_000 },
      ]);
    },
  );

  it('has chunks of less than 100 KB, each when it is asked for', async () => {
    let asked = 0;
    const chunks = await chunksOf(1_000, 500, () => {
      asked++;
      return false;
    });
    expect(asked).toBe(20);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(100_000);
  });

  it('ends without its last line when the node drains', async () => {
    let left = 3;
    const lines = linesOf(await chunksOf(1_000, 500, () => left-- === 0));
    expect(lines).toHaveLength(151);
    expect(lines.at(-1).type).toBe('track');
  });
});

describe('a resume token', () => {
  const cursor = `c1.${'A'.repeat(22)}`;
  it.each(['', 'r1.', cursor, `r1.1.${cursor} `, `r1.01.${cursor}`, `r1.${cursor}`, 'r1.1.c1.'])(
    'is read only as it was written: %s',
    (text) => {
      expect(readResume(text)).toBeUndefined();
    },
  );
});
