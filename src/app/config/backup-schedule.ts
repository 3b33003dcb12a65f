import { OperatorError } from '../../common/errors.ts';
import { bucketUrl } from './setting-values.ts';

const PERIODS = ['daily', 'weekly', 'monthly'] as const;

/** The numbers of days, weeks and months of which one backup each is kept. */
export type Keep = Partial<Record<(typeof PERIODS)[number], number>>;

const MOST = 10_000;

/** Parses a text such as `daily=7,weekly=5,monthly=12`. Throws OperatorError. */
export function parseKeep(text: string): Keep {
  const keep: Keep = {};
  for (const part of text.split(',')) {
    const [, name, number] = /^ *([a-z]+)=(\d{1,5}) *$/.exec(part) ?? [];
    const period = PERIODS.find((one) => one === name);
    if (period === undefined || period in keep || Number(number) > MOST) throw notKeep();
    keep[period] = Number(number);
  }
  // Everything would be removed.
  if (Object.values(keep).every((number) => number === 0)) throw notKeep();
  return keep;
}

function notKeep(): OperatorError {
  return new OperatorError(
    'must say how many daily, weekly and monthly backups are kept, such as daily=7,weekly=5,monthly=12',
  );
}

export interface BackupSchedule {
  /** The time of day, in minutes after midnight (UTC). */
  minutes: number;
  /** An absolute path, or `s3://bucket/prefix`. */
  place: string;
  /** As `parseKeep` reads it. */
  keep: string;
}

const DEFAULT_KEEP = 'daily=7,weekly=5,monthly=12';

/** Parses `03:30 /var/backups/stave`, optionally with what is kept at its end. */
export function backupSchedule(text: string): BackupSchedule {
  const [, hours, minutes, place = '', keep = DEFAULT_KEEP] =
    /^([01]\d|2[0-3]):([0-5]\d) +(\S.*?)(?: +([a-z]+=[^ /]*))?$/.exec(text) ?? [];
  const isBucket = place.startsWith('s3://');
  if (!isBucket && !place.startsWith('/')) {
    throw new OperatorError(
      'must be a time (UTC) and an absolute path or s3://BUCKET/PREFIX, such as 03:30 /var/backups/stave',
    );
  }
  // "daily=7 weekly=5" would be the folder "… daily=7".
  if (/ [a-z]+=\d+$/.test(place)) throw notKeep();
  if (isBucket) bucketUrl(place);
  parseKeep(keep);
  return { minutes: Number(hours) * 60 + Number(minutes), place, keep };
}
