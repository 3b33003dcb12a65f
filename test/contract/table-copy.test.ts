import { describe, expect, it } from 'vitest';
import { keyOf, TABLES } from '../../src/engines/sql/copied-tables.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

/** A table whose key contains bytes. */
const EVENT_IDS = TABLES.find(({ name }) => name === 'usage_event_ids')!;

/** The id of an event; the byte is not a text. */
function eventId(n: number) {
  return [1, Buffer.alloc(16, 0x80 + n), Buffer.alloc(8, n)];
}

for (const adapter of ADAPTERS) {
  describe(`the tables on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are copied in slices if their keys contain bytes', async () => {
      const { tables } = (await open()).store;
      const first = [1, 2].map(eventId);
      await tables.append(EVENT_IDS, null, first);
      const last = keyOf(EVENT_IDS, first[1]!);
      expect(await tables.lastKey(EVENT_IDS)).toEqual(last);
      await expect(tables.append(EVENT_IDS, null, [eventId(3)])).rejects.toThrow('writes to');
      await tables.append(EVENT_IDS, last, [eventId(3)]);
      expect(await tables.rowsAfter(EVENT_IDS, last, 10)).toEqual([eventId(3)]);
    });
  });
}
