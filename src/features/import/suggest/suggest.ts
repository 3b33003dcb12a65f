import { OperatorError } from '../../../common/operator-error.ts';
import { counted } from '../../../common/text/counted.ts';
import type { TrackType } from '../../catalog/track.ts';
import { catalogItems } from '../catalog-items.ts';
import { examineMessage, messagesBelow } from '../ddex/message-files.ts';
import { unusedMembers } from '../explain/unused.ts';
import { openSpool } from '../files/spool.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { planCatalog } from '../plan.ts';
import { isRecord } from '../sample.ts';
import { openSources, type Source } from '../sources.ts';
import { type Checked, checkMapping, compiled } from './check.ts';
import { composeMapping } from './compose.ts';
import { type Sampled, sampleCatalog } from './sampled.ts';

/** A first mapping for a file. */
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
}: {
  path: string;
  type?: TrackType | undefined;
}): Promise<Suggestion> {
  const spool = openSpool();
  try {
    const [source] = await openSources([path], spool);
    const catalog = await catalogOf(source!);
    const known = await planCatalog(catalog, null);
    if ('format' in known && known.mapping !== null) {
      const remark = `the shipped mapping ${known.mapping.name} fits this file, so an import needs no --map; these are its rules`;
      return { mapping: known.mapping.mapping, remarks: [remark] };
    }
    const sampled = await sampleCatalog(catalog);
    if ('reason' in sampled) {
      throw new OperatorError(`${sampled.file}: ${sampled.reason}`);
    }
    const { mapping, remarks } = await composeMapping(sampled, type);
    if ('format' in known && (await isOwnForm(sampled, mapping, type))) {
      throw new OperatorError(`${path} is in Stave’s own form: it needs no mapping`);
    }
    const checked = await checkMapping(mapping, sampled.plan, sampled.records);
    return { mapping, remarks: [...remarks, checkRemark(checked)] };
  } finally {
    await spool.close();
  }
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

/**
 * Whether an import without a mapping takes most of the records, and the mapping reads nothing that
 * such an import does not.
 */
async function isOwnForm(
  { plan, records }: Sampled,
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
  const values = records.map(({ value }) => value).filter(isRecord);
  const unused = unusedMembers(values, null);
  return balance > 0 && !unused.some(({ member }) => reads.has(member.split('[]')[0]!));
}

function checkRemark({ tracks, rejected, first }: Checked): string {
  if (first === undefined) {
    return `checked with the first ${counted(tracks, 'record')}: none is rejected`;
  }
  const { line, field, reason } = first;
  const name = field === '' ? '' : `${field}: `;
  return `checked with the first ${counted(tracks, 'record')}: ${rejected} ${rejected === 1 ? 'is' : 'are'} rejected, the first in line ${line}: ${name}${reason}`;
}
