import { afterEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../common/log.ts';
import type { DocumentColumns, DocumentCopy } from '../../features/catalog/document-copy.ts';
import { DocumentCopies, type DocumentCopiesOptions } from './document-copies.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A node of `size` tracks, and what it requests, opens and adopts. */
function node(size: number, options: Partial<DocumentCopiesOptions> = {}) {
  const state: { changedSinceCopy: number | undefined } = { changedSinceCopy: undefined };
  const calls: string[] = [];
  let take: (columns: DocumentColumns) => void = () => {};
  const copies = new DocumentCopies({
    catalog: {
      size,
      documentState: state as never,
      adoptDocuments: async () => {
        calls.push('adopt');
        state.changedSinceCopy = 0;
      },
      closeDocuments: () => calls.push('close documents'),
    },
    changes: { since: async () => [] },
    maker: {
      onColumns: (listener) => {
        take = listener;
      },
      request: (isOutdated) => calls.push(isOutdated ? 'request a new one' : 'request'),
      close: async () => {
        calls.push('close maker');
      },
    },
    open: ({ id }) => {
      if (id === 'missing') throw new Error('The document file was replaced by another one');
      return { close: () => calls.push(`close ${id}`) } as unknown as DocumentCopy;
    },
    log: silentLog,
    requests: true,
    ...options,
  });
  const receive = async (id: string) => {
    take({ id } as DocumentColumns);
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  return { copies, state, calls, receive };
}

describe('DocumentCopies', () => {
  it('requests no copy of a small catalog', () => {
    const { copies, calls } = node(19_999);
    copies.start();
    copies.check();
    expect(calls).toEqual([]);
  });

  it('requests a copy at first, and a newer one when a sixteenth has changed', async () => {
    const { copies, state, calls, receive } = node(160_000);
    copies.start();
    await receive('a');
    expect(calls).toEqual(['request', 'adopt']);
    state.changedSinceCopy = 10_000;
    copies.check();
    expect(calls).toHaveLength(2);
    state.changedSinceCopy = 10_001;
    copies.check();
    expect(calls.at(-1)).toBe('request a new one');
    await copies.close();
  });

  it('opens each copy once, and again if the catalog has lost it', async () => {
    const { copies, state, calls, receive } = node(160_000);
    copies.start();
    await receive('a');
    await receive('a');
    state.changedSinceCopy = undefined;
    await receive('a');
    expect(calls).toEqual(['request', 'adopt', 'adopt']);
    await copies.close();
  });

  it('only receives copies if another node of the process requests them, but replaces a lost one', async () => {
    vi.useFakeTimers();
    const { copies, state, calls, receive } = node(160_000, { requests: false });
    copies.start();
    await receive('a');
    state.changedSinceCopy = 100_000;
    vi.advanceTimersByTime(60_000);
    expect(calls).toEqual(['adopt']);
    state.changedSinceCopy = undefined;
    vi.advanceTimersByTime(60_000);
    expect(calls).toEqual(['adopt', 'request']);
    await copies.close();
  });

  it('continues without a copy that is not there', async () => {
    const { copies, calls, receive } = node(160_000);
    copies.start();
    await receive('missing');
    await receive('b');
    await copies.close();
    await receive('c');
    expect(calls).toEqual(['request', 'adopt', 'close maker', 'close documents']);
  });
});
