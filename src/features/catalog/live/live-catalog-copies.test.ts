import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { silentLog } from '../../../common/log.ts';
import type { DocumentColumns } from '../document-copy.ts';
import { DocumentFile } from '../store/disk/document-file.ts';
import { DocumentFileWriter } from '../store/disk/document-writer.ts';
import { parseDocument } from '../track-document.ts';
import {
  deliver,
  delivery,
  idOf,
  live,
  openStoreForEachTest,
  store,
} from './live-catalog.test-support.ts';

openStoreForEachTest();

let folder: string;
let files: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-copies-'));
  files = 0;
});
afterEach(() => rm(folder, { recursive: true }));

type Live = Awaited<ReturnType<typeof live>>;

/** Writes a copy of the store. `meanwhile` runs after a part of the documents was read. */
async function write(meanwhile = async () => {}) {
  const path = join(folder, `documents-${++files}`);
  const seq = await store.changes.head();
  const documents = async function* () {
    for await (const slice of store.catalog.allDocuments()) {
      for (const [i, parts] of slice.entries()) {
        if (i === slice.length >> 1) await meanwhile();
        yield [parts];
      }
    }
  };
  const columns = await new DocumentFileWriter({ path, madeBy: 'stave 1', by: 'service' }).write(
    {
      documents: documents(),
      filters: () => store.catalog.filterTexts(),
      catalog: async () => '',
      seq: async () => seq,
      expected: 10,
    },
    0,
  );
  return { path, columns };
}

function adopt({ catalog }: Live, { path, columns }: { path: string; columns: DocumentColumns }) {
  return catalog.adoptDocuments(DocumentFile.open(path, columns, silentLog), store.changes);
}

describe('a copy of the documents', () => {
  it('returns the documents at once, without the store', async () => {
    await deliver(delivery('A'), delivery('B'));
    const node = await live();
    await adopt(node, await write());
    expect(node.catalog.documents(node.rowIdsOf('B', 'A'))).toHaveLength(2);
    expect(await node.namesOf([...node.rowIdsOf('B', 'A')])).toEqual(['B', 'A']);
    expect(node.reads.documents).toEqual([]);
    expect(node.catalog.documentState).toMatchObject({
      changedSinceCopy: 0,
      reads: { file: 4, memory: 0, store: 0 },
    });
    node.catalog.closeDocuments();
    expect(await node.namesOf(node.rowIdsOf('A'))).toEqual(['A']);
    expect(node.catalog.documentState).toMatchObject({ changedSinceCopy: undefined });
  });

  it('is not read for tracks that changed while it was written, or before it was opened', async () => {
    await deliver(...['A', 'B', 'C', 'D', 'E'].map((key) => delivery(key)));
    const node = await live();
    const written = await write(async () => {
      await deliver(delivery('A', { name: 'A2' }), delivery('E', { name: 'E2' }), delivery('F'));
      await setTrackState(store, idOf('B'), 'taken_down', 'cli:test');
      await node.catchUp();
    });
    await deliver(delivery('C', { name: 'C2' }));
    await node.catchUp();
    await adopt(node, written);
    await setTrackState(store, idOf('B'), 'live', 'cli:test');
    await deliver(delivery('D', { name: 'D2' }));
    await node.catchUp();
    const rowIds = node.rowIdsOf('A', 'B', 'C', 'D', 'E', 'F');
    expect(await node.namesOf(rowIds)).toEqual(['A2', 'B', 'C2', 'D2', 'E2', 'F']);
    expect(node.catalog.documentState.changedSinceCopy).toBe(6);
  });

  it('is read for tracks whose changes it has, although the index gets them later', async () => {
    await deliver(delivery('A'), delivery('B'));
    const node = await live();
    await deliver(delivery('A', { name: 'A2' }), delivery('C'));
    await adopt(node, await write());
    await node.catchUp();
    expect(await node.namesOf(node.rowIdsOf('A', 'B', 'C'))).toEqual(['A2', 'B', 'C']);
    expect(node.catalog.documentState).toMatchObject({
      changedSinceCopy: 0,
      reads: { file: 3, store: 0 },
    });
  });

  it('does not return a track that is taken down, once the index knows', async () => {
    await deliver(delivery('A'));
    const node = await live();
    const [rowId] = node.rowIdsOf('A');
    await adopt(node, await write());
    await setTrackState(store, idOf('A'), 'taken_down', 'cli:test');
    await node.catchUp();
    expect(await node.namesOf([rowId!])).toEqual(['(none)']);
  });

  it('is closed when the index is rebuilt, because the changed tracks are then unknown', async () => {
    await deliver(delivery('A'));
    const node = await live();
    await adopt(node, await write());
    await node.catalog.load();
    expect(node.catalog.documentState.changedSinceCopy).toBeUndefined();
  });

  it('is never older than the index, in any order of changes, writing and opening', async () => {
    const key = fc.constantFrom('A', 'B', 'C', 'D');
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.record({ kind: fc.constant('deliver' as const), key }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('take down' as const), key }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), key }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('hide' as const) }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('catch up' as const) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('write' as const), key }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('adopt' as const) }) },
      ),
      { maxLength: 30 },
    );
    let version = 0;
    const change = (name: string) =>
      deliver(delivery(name, { name: `${name} ${++version}`, durationSeconds: version }));
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await change('A');
        await change('B');
        const node = await live();
        let last = await write();
        for (const step of sequence) {
          if (step.kind === 'deliver') await change(step.key);
          else if (step.kind === 'take down') await setState(step.key, 'taken_down');
          else if (step.kind === 'restore') await setState(step.key, 'live');
          else if (step.kind === 'hide') {
            await node.catalog.applyEarly(
              await store.changes.since(node.catalog.position, ['track'], 100),
            );
          } else if (step.kind === 'catch up') await node.catchUp();
          else if (step.kind === 'write') last = await write(() => change(step.key));
          else await adopt(node, last);
          await expectCurrent(node);
        }
        node.catalog.closeDocuments();
      }),
      { numRuns: 40 },
    );
  });
});

async function setState(key: string, state: 'live' | 'taken_down'): Promise<void> {
  if ((await store.catalog.trackRecord(idOf(key))) === undefined) return;
  await setTrackState(store, idOf(key), state, 'cli:test');
}

/** Expects that each document is as new as the index, or newer. The duration is the version of a track. */
async function expectCurrent({ catalog }: Live): Promise<void> {
  for (const key of ['A', 'B', 'C', 'D']) {
    const [rowId] = catalog.locate([idOf(key)], {});
    if (rowId === undefined) continue;
    const [document] = await catalog.documents([rowId]);
    if (document === undefined) continue;
    const { durationSeconds } = parseDocument(document);
    const newer = catalog.locate([idOf(key)], { durationMin: durationSeconds + 1 });
    expect(newer).toEqual([undefined]);
  }
}
