import { describe, expect, it } from 'vitest';
import { parseKeep } from '../../app/config/backup-schedule.ts';
import { toKeep } from './keep.ts';

const at = (...times: string[]) => times.map((time) => ({ at: Date.parse(time), time }));
const kept = (keep: string, ...times: string[]) =>
  [...toKeep(at(...times), parseKeep(keep))].map(({ time }) => time).sort();

describe('what is kept', () => {
  it('is the newest backup of each of the last days', () => {
    expect(
      kept(
        'daily=2',
        '2026-11-29T03:00Z',
        '2026-11-28T15:00Z',
        '2026-11-28T03:00Z',
        '2026-11-20T03:00Z',
      ),
    ).toEqual(['2026-11-28T15:00Z', '2026-11-29T03:00Z']);
  });

  it('is the newest backup of each week from Monday to Sunday', () => {
    // 2026-11-30 is a Monday.
    const times = [
      '2026-11-30T00:00Z',
      '2026-11-29T23:59Z',
      '2026-11-23T00:00Z',
      '2026-11-22T12:00Z',
    ];
    expect(kept('weekly=3', ...times)).toEqual([times[3], times[1], times[0]]);
  });

  it('is the newest backup of each month, of periods with backups', () => {
    const times = [
      '2026-11-02T00:00Z',
      '2026-11-01T00:00Z',
      '2026-08-31T23:59Z',
      '2025-11-02T00:00Z',
    ];
    expect(kept('monthly=2', ...times)).toEqual([times[2], times[0]]);
  });

  it('is all of that together, and always the newest backup', () => {
    const year = Array.from({ length: 365 }, (_, day) =>
      new Date(Date.parse('2026-12-31T03:00Z') - day * 86_400_000).toISOString(),
    );
    const times = kept('daily=7,weekly=5,monthly=12', ...year);
    expect(times).toContain(year[0]);
    expect(times).toHaveLength(7 + 3 + 11);
    expect(kept('daily=0,monthly=1', ...year)).toEqual([year[0]]);
  });
});
