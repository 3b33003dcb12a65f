import { basename } from 'node:path';
import { OperatorError } from '../../../common/errors.ts';
import { isObject } from '../../../common/text/json.ts';
import { counted } from '../../../common/text/shown.ts';
import type { TrackType } from '../../catalog/track.ts';
import { catalogItems } from '../catalog-items.ts';
import { examineMessage, messagesBelow } from '../ddex/message-files.ts';
import { membersIn, unusedMembers } from '../explain/members.ts';
import { openSources, type Source } from '../files/sources.ts';
import { fileRejection, type Rejection } from '../item.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { ImportOptions } from '../options.ts';
import { type CatalogPlan, NO_RECORDS, planCatalog } from '../plan.ts';
import { type ReadSample, readSample } from '../read-catalog.ts';
import { composeMapping } from './compose.ts';
import { type Checked, checkMapping, compiled, type DraftHead, type Sampled } from './draft.ts';
import { identityOf, NO_NAME } from './identity.ts';
import { CLEAR, nameScore, SYNONYMS } from './names.ts';

export interface Suggestion {
  mapping: Mapping;
  /** What was chosen and why, and what the operator has to check. */
  remarks: string[];
}

/**
 * Suggests a mapping for a file of unknown names, and checks it with the first records of the file.
 * Throws OperatorError if the file needs no mapping or none can be suggested.
 */
export async function suggestMapping({
  path,
  type,
}: Pick<ImportOptions, 'type'> & { path: string }): Promise<Suggestion> {
  await using copies = new AsyncDisposableStack();
  const [source] = await openSources([path], copies);
  const catalog = await catalogOf(source!);
  const known = await planCatalog(catalog, null);
  if ('format' in known && known.mapping !== null) {
    const { name, mapping } = known.mapping;
    const checked = await checkMapping(mapping, known);
    if (checked.rejected * 2 < checked.tracks) {
      const remark = `the shipped mapping ${name} fits this file, so an import needs no --map; these are its rules`;
      return { mapping, remarks: [remark, checkRemark(checked)] };
    }
  }
  const sampled = await sampleCatalog(catalog);
  if ('reason' in sampled) {
    throw new OperatorError(`${sampled.file}: ${sampled.reason}`);
  }
  const { mapping, remarks } = await composeMapping(sampled, type);
  if ('format' in known && (await isOwnForm(known, sampled.records, mapping, type))) {
    throw new OperatorError(`${path} is in Stave’s own form: it needs no mapping`);
  }
  const checked = await checkMapping(mapping, sampled.plan);
  return { mapping, remarks: [...remarks, checkRemark(checked)] };
}

/** Returns the catalog file. Throws OperatorError for deliveries that need no mapping. */
async function catalogOf(source: Source): Promise<Source & { kind: 'catalog' }> {
  const noNeed = (what: string) =>
    new OperatorError(
      `${source.path} ${what}: it needs no mapping (--explain shows how it is read)`,
    );
  if (source.kind === 'folder') {
    const messages = source.only === null ? await messagesBelow(source.path) : [];
    throw noNeed(
      messages.length > 0
        ? 'is a folder of DDEX messages'
        : source.only === null
          ? 'is a folder, whose audio is read by its tags'
          : 'is audio, which is read by its tags',
    );
  }
  const message = await examineMessage(source);
  if (message === undefined) {
    return source;
  }
  throw 'reason' in message
    ? new OperatorError(`${source.path}: ${message.reason}`)
    : noNeed('is a message of DDEX');
}

/** Whether an import without a mapping takes most of the records and reads as much. */
async function isOwnForm(
  plan: CatalogPlan,
  records: Sampled['records'],
  mapping: Mapping,
  type: TrackType | undefined,
): Promise<boolean> {
  const own = { ...plan, mapping: null };
  let balance = 0;
  for await (const items of catalogItems(own, { source: 'own', type: type ?? 'music', records })) {
    for (const { prepared } of items) {
      balance += prepared.delivery === null ? -1 : 1;
    }
  }
  const { reads } = compiled(mapping);
  const values = records.map(({ value }) => value).filter(isObject);
  const unused = unusedMembers(values, null);
  return balance > 0 && !unused.some(({ member }) => reads.has(member.split('[]')[0]!));
}

function checkRemark({ records, tracks, rejected, first }: Checked): string {
  const merged = records > tracks ? ` (merged from ${counted(records, 'row')})` : '';
  const what = `checked with the whole file, ${counted(tracks, 'track')}${merged}`;
  if (first === undefined) return `${what}: none is rejected`;
  const { line, field, reason } = first;
  const name = field === '' ? '' : `${field}: `;
  const where = line === null ? '' : ` in line ${line}`;
  return `${what}: ${rejected} ${rejected === 1 ? 'is' : 'are'} rejected, the first${where}: ${name}${reason}`;
}

type Read = ReadSample & { plan: CatalogPlan };

/** What share of the rows must have bytes that are not UTF-8, so that an encoding is suggested. */
const DAMAGED = 0.02;
const ENCODING = 'windows-1252';
const TRACK_LISTS = ['tracks', 'songs', 'recordings', 'tracklist', 'items', 'titles', 'cues'];

/**
 * Reads the first records of a file as the import does with a mapping. Finds lists of tracks in
 * lists of albums, and the encoding. Returns a rejection if the file has no records.
 */
async function sampleCatalog(source: { path: string; file: string }): Promise<Sampled | Rejection> {
  let head: DraftHead = { name: nameOf(source.path) };
  let read = await readWith(source, head);
  if ('reason' in read) return read;
  const inner = innerList(read);
  const damaged = read.records.filter(
    (record) => record.damaged !== null || record.problem?.includes('UTF-8'),
  );
  const isDamaged = damaged.length > read.records.length * DAMAGED;
  if (inner !== undefined || isDamaged) {
    head = {
      ...head,
      ...(inner !== undefined && { records: inner }),
      ...(isDamaged && { encoding: ENCODING }),
    };
    read = await readWith(source, head);
    if ('reason' in read) return read;
  } else if (read.lists.passedOver.length > 0 && read.lists.read) {
    head = { ...head, records: read.lists.read };
  }
  const { plan, records } = read;
  return { plan: { ...plan, mapping: null }, records, head };
}

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
  let read: ReadSample | undefined;
  const mapping = compiled({ ...head, fields: {} });
  const plan = await planCatalog(source, mapping, async (attempt, batches) => {
    const isSheet = attempt.format.kind === 'xlsx';
    const sample = await readSample(attempt, { keepEmpty: true, ...(isSheet && { batches }) });
    if (typeof sample === 'string') {
      return fileRejection(source.path, `${sample}; no records were found`);
    }
    const objects = sample.records.map(({ value }) => value).filter(isObject);
    const members = membersIn(objects);
    if (objects.length === 0) return fileRejection(source.path, NO_RECORDS);
    if (isSheet && (members.length < 2 || identityOf(members, objects) === undefined)) {
      return fileRejection(source.path, NO_NAME);
    }
    read = sample;
    return attempt;
  });
  return 'reason' in plan ? plan : { ...read!, plan };
}

/** Returns the path of the list of tracks in each record, such as `albums[].tracks[]`. */
function innerList({ plan: { format }, records, lists: { read } }: Read): string | undefined {
  const objects = records.map(({ value }) => value).filter(isObject);
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
  return format.kind === 'ndjson' || read === undefined ? `$.${inner}[]` : `${read}[].${inner}[]`;
}
