import { describe, expect, it } from 'vitest';
import { lastDue } from '../scheduled-backups.ts';
import { backupSchedule, parseKeep } from './backup-schedule.ts';

it.each([
  '',
  'daily',
  'daily=',
  'daily=-1',
  'daily=1.5',
  'hourly=3',
  'daily=1,daily=2',
  'daily=0',
  'daily=99999',
  'toString=1',
])('the numbers %j are refused', (text) => {
  expect(() => parseKeep(text)).toThrow('daily=7,weekly=5,monthly=12');
});

describe('a schedule', () => {
  it('has a time, a place, and what is kept', () => {
    const keep = 'daily=7,weekly=5,monthly=12';
    expect(backupSchedule('03:30 /var/backups/stave')).toEqual({
      minutes: 210,
      place: '/var/backups/stave',
      keep,
    });
    expect(backupSchedule('23:59 s3://bucket/a daily=2')).toEqual({
      minutes: 1_439,
      place: 's3://bucket/a',
      keep: 'daily=2',
    });
    expect(backupSchedule('00:00 /My Disk/a=b').place).toBe('/My Disk/a=b');
  });

  it.each(['', '03:30', '3:30 /a', '24:00 /a', '03:60 /a', '03:30 backups', '03:30  ', '/a'])(
    'is refused: %j',
    (text) => {
      expect(() => backupSchedule(text)).toThrow('such as 03:30 /var/backups/stave');
    },
  );

  it('is refused with its reason if the bucket or the numbers are wrong', () => {
    expect(() => backupSchedule('03:30 s3://A')).toThrow('must be s3://BUCKET');
    expect(() => backupSchedule('03:30 /a yearly=1')).toThrow('daily, weekly and monthly');
    expect(() => backupSchedule('03:30 /a daily=7 weekly=5')).toThrow('daily=7,weekly=5');
  });

  it('is due at its time of each day', () => {
    const schedule = { minutes: 210 };
    const due = (now: string) => new Date(lastDue(schedule, Date.parse(now))).toISOString();
    expect(due('2026-11-29T03:29:59Z')).toBe('2026-11-28T03:30:00.000Z');
    expect(due('2026-11-29T03:30:00Z')).toBe('2026-11-29T03:30:00.000Z');
    expect(due('2026-11-29T23:59:59Z')).toBe('2026-11-29T03:30:00.000Z');
  });
});
