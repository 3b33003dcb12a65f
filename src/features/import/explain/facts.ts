import { openRegularFile } from '../../../common/files.ts';
import { counted } from '../../../common/text/shown.ts';
import type { AvailabilityEntry } from '../../availability/availability.ts';
import type { Prepared } from '../canonical/track.ts';
import { isGzip } from '../decode/bytes.ts';
import type { Decoded } from '../decode/decoded.ts';
import type { Part } from '../files/parts.ts';
import type { CompiledMapping } from '../mapping/compile.ts';
import { isNothing } from '../mapping/members.ts';
import type { ImportOptions } from '../options.ts';
import type { CatalogPlan } from '../plan.ts';
import type { ReadSample } from '../read-catalog.ts';

export interface Fact {
  /** Such as `format` or `mapping`. */
  what: string;
  is: string;
}

export type Given = Pick<ImportOptions, 'mapFile' | 'source'>;

export async function catalogFacts(
  { plan, source }: Part & { kind: 'catalog' },
  { records = [], lists }: Partial<ReadSample> = {},
  given: Given,
): Promise<Fact[]> {
  const { format, more } = formatFacts(plan, lists?.read);
  await using file = await openRegularFile(plan.file);
  const isCompressed = await isGzip(file);
  const { size } = await file.stat();
  return [
    { what: 'format', is: `${format}${isCompressed ? ', compressed with gzip' : ''}` },
    { what: 'size', is: counted(size, 'byte') },
    ...Object.entries(more).map(([what, is]) => ({ what, is })),
    ...(plan.format.kind === 'xlsx' ? [] : [encodingFact(plan, records)]),
    { what: 'mapping', is: mappingReason(plan.mapping, given, records) },
    { what: 'source', is: sourceReason(source, plan.mapping, given) },
  ];
}

function formatFacts(
  { format, mapping }: CatalogPlan,
  list: string | undefined,
): { format: string; more: Readonly<Record<string, string>> } {
  const named = mapping?.mapping.records;
  const records = named && { records: `${named} (\`records\` of the mapping)` };
  switch (format.kind) {
    case 'ndjson':
      return { format: 'NDJSON: each line is a JSON object', more: { ...records } };
    case 'json': {
      const found =
        list === undefined ? 'the document is one record' : listName(list, named !== undefined);
      return { format: 'JSON: one document', more: { records: found, ...records } };
    }
    case 'csv': {
      const delimiter = format.delimiter === '\t' ? 'tab' : `"${format.delimiter}"`;
      const above = format.hasTitles ? '; the lines above it are titles and passed over' : '';
      const heading = `line ${format.headingLine}${above}`;
      return { format: 'CSV', more: { delimiter, heading } };
    }
    case 'xlsx':
      return { format: 'Excel workbook', more: { sheet: `"${format.sheet ?? ''}"` } };
  }
}

function listName(list: string, isNamed: boolean): string {
  const name = list === '' ? 'the list that is the document' : `the list "${list}"`;
  return isNamed || list === '' ? name : `${name}, the first list of objects`;
}

function encodingFact({ mapping, utf16 }: CatalogPlan, records: readonly Decoded[]): Fact {
  if (utf16 !== undefined) return { what: 'encoding', is: utf16 };
  const damaged = records.filter((record) => record.damaged !== null);
  const fallback = mapping?.mapping.encoding;
  const others = fallback === undefined ? '' : `; what is not UTF-8 is read as ${fallback}`;
  const faults =
    damaged.length === 0
      ? ''
      : `; ${counted(damaged.length, 'record has', 'records have')} bytes that are not UTF-8, the first in line ${damaged[0]!.position} (a mapping can name an \`encoding\`)`;
  return { what: 'encoding', is: `UTF-8${others}${faults}` };
}

function mappingReason(
  mapping: CompiledMapping | null,
  { mapFile }: Given,
  records: readonly Decoded[],
): string {
  if (mapping === null) {
    return 'none: the records are in Stave’s own form, and no shipped mapping fits them better';
  }
  if (mapFile !== undefined) {
    return `${mapping.name}, because --map names it`;
  }
  const { all = [], any = [] } = mapping.mapping.recognize ?? {};
  const has = (path: string) =>
    records.some(({ value }) => typeof value === 'object' && value !== null && path in value);
  const found = [...all, ...any.filter((path) => !all.includes(path) && has(path)).slice(0, 5)];
  return `${mapping.name}, a shipped mapping, because the records have ${found.map((path) => `"${path}"`).join(', ')}`;
}

function sourceReason(
  source: string,
  mapping: CompiledMapping | null,
  { source: given }: Given,
): string {
  if (given !== undefined) {
    return `${source}, because --source names it`;
  }
  return mapping === null
    ? `${source}, the source of files in Stave’s own form (--source names another one)`
    : `${source}, the name of the mapping (--source names another one)`;
}

export function otherFacts(part: Part & { kind: 'folder' | 'ern' }, given: Given): Fact[] {
  const isFolder = part.kind === 'folder';
  const format = isFolder
    ? `${part.only === null ? 'folder of audio files' : 'audio file'}; each track is read from the tags of its file`
    : `DDEX ERN, ${counted(part.messages.length, 'message')}; DDEX needs no mapping`;
  const origin = isFolder ? 'the name of the folder' : 'the sender of the message';
  const from = given.source === undefined ? `made of ${origin}` : 'because --source names it';
  return [
    { what: 'format', is: format },
    { what: 'source', is: `${part.source}, ${from}` },
  ];
}

export function storedForm(prepared: Extract<Prepared, { problems: null }>): object {
  const { delivery, audio, artwork, preview, waveform, stems, versions } = prepared;
  const { releasedAt, audioKey: _, artworkKey: __, ...track } = delivery;
  const members = {
    ...track,
    durationSeconds: track.durationSeconds || null,
    releaseDate: releasedAt === null ? null : new Date(releasedAt).toISOString(),
    availability: track.availability?.map(inTimes),
    artists: track.artists.map(({ name, role, isPrimary }) => ({ name, role, isPrimary })),
    ...{ audio, artwork, preview, waveform, stems, versions },
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isNothing(value)));
}

function inTimes({ from, until, ...territories }: AvailabilityEntry): object {
  return {
    ...territories,
    ...(from !== undefined && { from: new Date(from).toISOString() }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  };
}
