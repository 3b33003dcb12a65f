import { basename, resolve } from 'node:path';
import { OperatorError } from '../../../common/errors.ts';
import { counted } from '../../../common/text/shown.ts';
import { examineMessage, type MessageFile, messagesBelow } from '../ddex/message-files.ts';
import { fileRejection, type Rejection } from '../item.ts';
import { loadMapping } from '../mapping/load.ts';
import type { ImportOptions, Reading } from '../options.ts';
import { type CatalogPlan, planCatalog } from '../plan.ts';
import { openSources } from './sources.ts';

/** The source of tracks in Stave's own form, unless `--source` names one. */
const OWN_SOURCE = 'stave';

export type Part = { path: string; source: string; sizeBytes: number } & (
  | { kind: 'catalog'; plan: CatalogPlan }
  | { kind: 'folder'; only: string | null }
  /** Messages of one sender, from any of the paths. */
  | { kind: 'ern'; messages: MessageFile[] }
  | { kind: 'refused'; rejection: Rejection }
);

/**
 * Examines every path, and decides how to read it and which source its tracks belong to. Throws
 * OperatorError if a path does not exist or the mapping is invalid.
 */
export async function planParts(
  options: Pick<ImportOptions, 'paths' | 'source' | 'mapFile' | 'mapFolder'>,
  copies: AsyncDisposableStack,
): Promise<Part[]> {
  const sources = await openSources(options.paths, copies);
  const { mapFile, mapFolder } = options;
  const mapping = mapFile === undefined ? null : await loadMapping(mapFile, mapFolder);
  const source = options.source?.normalize('NFC').trim();
  if (source === '') {
    throw new OperatorError('--source must not be empty');
  }
  const parts: Part[] = [];
  const deliveries: ErnParts = new Map();
  const add = (message: MessageFile | Rejection) =>
    addMessage(message, { parts, deliveries, source });
  for (const opened of sources) {
    if (opened.kind === 'folder') {
      const messages = opened.only === null ? await messagesBelow(opened.path) : [];
      messages.forEach(add);
      if (messages.length === 0) {
        // The default depends on the path, so that folders do not share ids.
        const folderSource = `folder:${basename(resolve(opened.path)) || 'root'}`;
        parts.push({ ...opened, source: source ?? folderSource, sizeBytes: 0 });
      }
      continue;
    }
    const message = await examineMessage(opened);
    if (message !== undefined) {
      add(message);
      continue;
    }
    const plan = await planCatalog(opened, mapping);
    parts.push(
      'format' in plan
        ? { ...opened, plan, source: source ?? plan.mapping?.name ?? OWN_SOURCE }
        : { ...opened, kind: 'refused', rejection: plan, source: source ?? '' },
    );
  }
  return parts;
}

/** The longest id of a sender. Those of DDEX have 18 characters. */
const MAX_SENDER = 100;

type ErnParts = Map<string, Part & { kind: 'ern' }>;

/** Adds a message to the part of its sender, because its messages are read in their order, whatever their paths. */
function addMessage(
  message: MessageFile | Rejection,
  to: { parts: Part[]; deliveries: ErnParts; source: string | undefined },
): void {
  const given = to.source;
  const refuse = (rejection: Rejection) => {
    const refused = { path: rejection.file, source: given ?? '', sizeBytes: 0, rejection };
    to.parts.push({ kind: 'refused', ...refused });
  };
  if ('reason' in message) {
    refuse(message);
    return;
  }
  const { path, header, sizeBytes } = message;
  const sender = header.sender?.normalize('NFC') ?? '';
  if (given === undefined && (sender === '' || sender.length > MAX_SENDER)) {
    const reason =
      'the message has no usable PartyId of its MessageSender; name a source with --source';
    refuse(fileRejection(path, reason));
    return;
  }
  const source = given ?? `ddex:${sender}`;
  const known = to.deliveries.get(source);
  if (known !== undefined) {
    known.messages.push(message);
    known.sizeBytes += sizeBytes;
    return;
  }
  const part = { kind: 'ern' as const, path, source, sizeBytes, messages: [message] };
  to.deliveries.set(source, part);
  to.parts.push(part);
}

export function readingOf(part: Part): Reading | undefined {
  const { path, source } = part;
  switch (part.kind) {
    case 'refused':
      return undefined;
    case 'folder':
      return { path, format: 'audio', mapping: null, source };
    case 'ern': {
      const others = part.messages.length - 1;
      const shown = others === 0 ? path : `${path} and ${counted(others, 'more message')}`;
      return { path: shown, format: 'DDEX ERN', mapping: null, source };
    }
    case 'catalog': {
      const { format, mapping } = part.plan;
      return { path, format: FORMAT_NAMES[format.kind], mapping: mapping?.name ?? null, source };
    }
  }
}

const FORMAT_NAMES = { ndjson: 'NDJSON', json: 'JSON', csv: 'CSV', xlsx: 'Excel' } as const;

/** Describes a reading, such as `mapping catalog-dump, source catalog-dump`. */
export function readingName({ format, mapping, source }: Reading): string {
  const unmapped =
    format === 'audio' ? 'tags' : format === 'DDEX ERN' ? 'messages' : 'Stave’s own form';
  return `${mapping === null ? unmapped : `mapping ${mapping}`}, source ${source}`;
}

/**
 * Throws OperatorError unless the delivery is complete and its source was given. A prune withdraws
 * what was not delivered, and unrelated deliveries share the default sources.
 */
export function refuseUnsafePrune(parts: readonly Part[], source: string | undefined): void {
  const refused = parts.find((part) => part.kind === 'refused');
  if (refused !== undefined) {
    throw new OperatorError(
      `--prune needs a delivery that can be read: ${refused.path}: ${refused.rejection.reason}`,
    );
  }
  if (parts.some((part) => part.kind === 'folder' && part.only !== null)) {
    throw new OperatorError('--prune needs a whole folder, not single audio files');
  }
  if (source === undefined) {
    const defaults = [...new Set(parts.map((part) => part.source))].join(', ');
    throw new OperatorError(
      `--prune needs --source: it withdraws every track of a source that the files do not list (without --source these belong to ${defaults})`,
    );
  }
}

/** Without a limit, a prune may withdraw one in this many live tracks: a delivery rarely lacks more. */
const UNQUESTIONED = 5;

/**
 * Returns why a prune may not withdraw this many tracks of a source, as the end of a sentence;
 * undefined if it may. `live` is the number of its live tracks before the import.
 */
export function pruneRefusal(
  source: string,
  absent: number,
  live: number,
  limit: number | undefined,
): string | undefined {
  const isWithin = limit === undefined ? absent * UNQUESTIONED <= live : absent <= limit;
  if (isWithin) return undefined;
  const bound = limit === undefined ? 'a fifth' : `--prune-limit ${limit}`;
  return `${absent} of the ${counted(live, 'live track')} of ${source}, more than ${bound}; if that is right, import again with --prune-limit ${absent}`;
}
