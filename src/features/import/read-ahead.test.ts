import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readAhead } from './files/batches.ts';

describe('readAhead', () => {
  async function* counting(to: number, log: string[], failAt?: number) {
    try {
      for (let n = 1; n <= to; n++) {
        log.push(`made ${n}`);
        if (n === failAt) throw new Error(`no ${n}`);
        yield n;
      }
    } finally {
      log.push('closed');
    }
  }

  it('requests only the next value while the caller works on one', async () => {
    const log: string[] = [];
    for await (const n of readAhead(counting(3, log))) {
      await sleep(1);
      log.push(`used ${n}`);
    }
    expect(log).toEqual(['made 1', 'made 2', 'used 1', 'made 3', 'used 2', 'closed', 'used 3']);
  });

  it('throws an error after the values before it', async () => {
    const log: string[] = [];
    const used: number[] = [];
    await expect(async () => {
      for await (const n of readAhead(counting(5, log, 3))) {
        await sleep(1);
        used.push(n);
      }
    }).rejects.toThrow('no 3');
    expect(used).toEqual([1, 2]);
    expect(log.at(-1)).toBe('closed');
  });

  it('closes its source when the caller stops', async () => {
    const log: string[] = [];
    for await (const _ of readAhead(counting(9, log))) break;
    expect(log).toEqual(['made 1', 'made 2', 'closed']);
  });
});
