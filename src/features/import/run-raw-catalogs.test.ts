import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { counts, type ImportBench, openImportBench } from '../../../test/harness/import-bench.ts';
import type { TrackDelivery } from '../catalog/track.ts';

/** The shapes of catalogs of real suppliers, with made-up content. */
const CATALOGS = fileURLToPath(new URL('../../../test/fixtures/raw-catalogs', import.meta.url));

/** How many tracks each catalog has. */
const TRACKS: Record<string, number> = {
  'archive-three-headings': 18,
  'distributor-export': 15,
  'label-spreadsheet': 16,
  'macintosh-archive': 18,
  'object-by-id': 18,
  'releases-with-media': 22,
  'sound-effects-on-discs': 24,
  'tagged-dataset': 20,
  'works-by-writer': 12,
};

const NAMES = Object.keys(TRACKS);

let bench: ImportBench;
let delivered: Map<string, TrackDelivery>;
beforeEach(async () => {
  bench = await openImportBench();
  delivered = new Map();
  noteDeliveries();
});
afterEach(() => bench.close());

/** Notes in `delivered` what imports deliver to the store of the bench. */
function noteDeliveries(): void {
  const { catalog } = bench.store;
  const openDelivery = catalog.openDelivery.bind(catalog);
  catalog.openDelivery = async (...given) => {
    const session = await openDelivery(...given);
    const deliver = session.deliver.bind(session);
    session.deliver = (batch) => {
      for (const one of batch) delivered.set(one.externalId!, structuredClone(one));
      return deliver(batch);
    };
    return session;
  };
}

type ExpectedRecord = Record<string, unknown> & { externalId: string };

function expectedRecords(name: string): ExpectedRecord[] {
  const text = readFileSync(join(CATALOGS, name, 'expected.ndjson'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const sorted = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort();

/** What a delivery has of the members that a record names, lists without regard to order. */
function membersOf(delivery: TrackDelivery | undefined, record: ExpectedRecord): object {
  const { artists = [], filters = [], writers = [], tags = [] } = delivery ?? {};
  const primary = artists.find(({ isPrimary }) => isPrimary)?.name;
  const values: Record<string, unknown> = {
    ...delivery,
    releaseDate: delivery?.releasedAt,
    audio: delivery?.audioKey,
    tags: tags.toSorted(),
    filters: sorted(filters),
    artists: {
      credits: artists.map(({ name, role }) => `${role}:${name}`).sort(),
      writers: sorted(writers),
      primary: JSON.stringify(record.artists).includes('"isPrimary"') ? primary : undefined,
    },
  };
  return Object.fromEntries(Object.keys(record).map((member) => [member, values[member]]));
}

describe('the fixtures of raw catalogs', () => {
  it('are those that this test names', () => {
    expect(readdirSync(CATALOGS).toSorted()).toEqual(NAMES);
  });

  it.each(NAMES)('expect valid records of %s', async (name) => {
    const path = join(CATALOGS, name, 'expected.ndjson');
    const { summary, rejections, notes } = await bench.run([path], { source: name });
    // The audio of the fixtures is short.
    const others = notes.filter((note) => !/ has 0\.1 s, and the record says /.test(note));
    expect([rejections, others]).toEqual([[], []]);
    expect(summary).toEqual(counts(expectedRecords(name).length));
    expect(summary.created).toBeGreaterThan(4);
  });
});

describe('an import of a raw catalog, with a mapping by a reader of docs/import.md alone', () => {
  it.each(NAMES)('reads %s', async (name) => {
    const folder = join(CATALOGS, name);
    const file = readdirSync(folder).find((one) => one.startsWith('catalog.'))!;
    await bench.run([join(folder, 'expected.ndjson')], { source: name });
    const expected = delivered;
    delivered = new Map();
    const mapFile = join(folder, 'mapping.json');
    const { summary, rejections } = await bench.run([join(folder, file)], {
      source: name,
      mapFile,
    });

    expect(rejections).toEqual([]);
    expect(summary.read).toBe(TRACKS[name]);
    expect(delivered.size).toBe(TRACKS[name]);
    for (const record of expectedRecords(name)) {
      const id = record.externalId;
      expect(membersOf(delivered.get(id), record), `${name} ${id}`).toEqual(
        membersOf(expected.get(id), record),
      );
    }
  });
});
