import { basename } from 'node:path';
import type { Decoded } from '../decode/decoded.ts';
import { membersIn } from '../explain/members.ts';
import { type CatalogPlan, NO_RECORDS, planCatalog, refusalOf } from '../plan.ts';
import { readCatalog } from '../read-catalog.ts';
import type { Rejection } from '../rejection.ts';
import { isRecord, sampleOf } from '../sample.ts';
import { compiled } from './check.ts';
import type { DraftHead } from './draft.ts';
import { identityOf } from './identity.ts';
import { CLEAR, nameScore } from './names.ts';
import { SYNONYMS } from './synonyms.ts';

/** The first records of a file of unknown names. */
export interface Sampled {
  plan: CatalogPlan;
  records: readonly Decoded[];
  /** What a mapping must say so that the records are found. */
  head: DraftHead;
}

interface Read {
  plan: CatalogPlan;
  records: readonly Decoded[];
  list: string | undefined;
  /** Whether the document has other lists, too. */
  hasOthers: boolean;
}

/** What share of the rows must have bytes that are not UTF-8, so that an encoding is suggested. */
const DAMAGED = 0.02;
/** The usual encoding of such files. */
const ENCODING = 'windows-1252';
const TRACK_LISTS = ['tracks', 'songs', 'recordings', 'tracklist', 'items', 'titles', 'cues'];

/**
 * Reads the first records of a file as the import does with a mapping. Finds lists of tracks in
 * lists of albums, and the encoding. Returns a rejection if the file has no records.
 */
export async function sampleCatalog(source: {
  path: string;
  file: string;
}): Promise<Sampled | Rejection> {
  const head: DraftHead = { name: nameOf(source.path) };
  let read = await readWith(source, head);
  if ('reason' in read) {
    return read;
  }
  const inner = innerList(read);
  const isDamaged =
    read.records.filter(({ damaged, problem }) => damaged !== null || problem?.includes('UTF-8'))
      .length >
    read.records.length * DAMAGED;
  if (inner !== undefined || isDamaged) {
    head.records = inner;
    head.encoding = isDamaged ? ENCODING : undefined;
    const again = await readWith(source, withoutAbsent(head));
    if ('reason' in again) {
      return again;
    }
    read = again;
  } else if (read.hasOthers && read.list) {
    head.records = read.list;
  }
  const { plan, records } = read;
  return { plan: { ...plan, mapping: null }, records, head: withoutAbsent(head) };
}

function withoutAbsent(head: DraftHead): DraftHead {
  return Object.fromEntries(
    Object.entries(head).filter(([, value]) => value !== undefined),
  ) as unknown as DraftHead;
}

/** Makes the name of a mapping of the name of a file. */
function nameOf(path: string): string {
  const name = basename(path)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(\.[a-z0-9]{1,6}){1,2}$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return name || 'supplier';
}

async function readWith(
  source: { path: string; file: string },
  head: DraftHead,
): Promise<Read | Rejection> {
  let read: Omit<Read, 'plan'> = { records: [], list: undefined, hasOthers: false };
  const plan = await planCatalog(
    source,
    compiled({ ...head, fields: {} }),
    async (attempt, batches) => {
      let list: string | undefined;
      const listeners = {
        onList: (path: string) => {
          list = path;
        },
        onNote: () => {
          read.hasOthers = true;
        },
      };
      const isSheet = attempt.format.kind === 'xlsx';
      const sample = await sampleOf(isSheet ? batches : readCatalog(attempt, listeners, true));
      if (typeof sample === 'string') {
        return refusalOf(source.path, `${sample}; no records were found`);
      }
      const objects = sample.map(({ value }) => value).filter(isRecord);
      const members = membersIn(objects);
      if (objects.length === 0) {
        return refusalOf(source.path, NO_RECORDS);
      }
      if (isSheet && (members.length < 2 || identityOf(members, objects.length) === undefined)) {
        return refusalOf(source.path, NO_NAME);
      }
      read = { ...read, records: sample, list };
      return attempt;
    },
  );
  return 'reason' in plan ? plan : { plan, ...read };
}

/** Why no mapping can be suggested. */
export const NO_NAME =
  'no mapping can be suggested: no member or column looks like the name of a track or of its file';

/** Returns the path of the list of tracks in each record, such as `albums[].tracks[]`. */
function innerList({ plan: { format }, records, list }: Read): string | undefined {
  const objects = records.map(({ value }) => value).filter(isRecord);
  const members = membersIn(objects);
  const titles = members.filter(
    ({ path, records: count }) =>
      path.split('[].').length === 2 &&
      count * 2 >= objects.length &&
      nameScore(path.slice(path.indexOf('[].') + 3), SYNONYMS.name) >= CLEAR,
  );
  const inner = titles
    .map(({ path }) => path.slice(0, path.indexOf('[].')))
    .find((path) => nameScore(path, TRACK_LISTS) >= CLEAR);
  if (inner === undefined) {
    return undefined;
  }
  return format.kind === 'ndjson' || list === undefined ? `$.${inner}[]` : `${list}[].${inner}[]`;
}
