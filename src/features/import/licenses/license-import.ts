import { hash } from 'node:crypto';
import type { Actor } from '../../../common/caller.ts';
import { type FieldProblem, OperatorError } from '../../../common/errors.ts';
import { newId } from '../../../common/ids.ts';
import { BoundedMap, keptIn } from '../../../common/memory/caches.ts';
import { isObject } from '../../../common/text/json.ts';
import type { ClientStore } from '../../access/store/client-store.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import { type License, SOLD_PREFIX } from '../../licensing/license.ts';
import { LicenseRecord } from '../../licensing/license-record.ts';
import type { LicenseStore } from '../../licensing/store/license-store.ts';
import { parseReleaseDate } from '../canonical/release-date.ts';
import { trimmed } from '../canonical/text.ts';
import { readHead } from '../decode/bytes.ts';
import { type Decoded, UnreadableError } from '../decode/decoded.ts';
import { HEAD_BYTES, recognizeFormat } from '../decode/format.ts';
import type { DocumentLists } from '../decode/json-document.ts';
import { openSources } from '../files/sources.ts';
import { type Rejection, rejectionOf, unreadableRejection } from '../item.ts';
import type { ImportProgress, ImportSummary } from '../options.ts';
import { passedOverNotes, readCatalog } from '../read-catalog.ts';
import { describe, memberProblems } from '../record.ts';

export interface LicenseImportOptions {
  paths: readonly string[];
  licenses: LicenseStore;
  catalog: Pick<CatalogStore, 'resolveTrack'>;
  clients: Pick<ClientStore, 'get'>;
  by: Actor;
  onRejection?: (rejection: Rejection) => void;
  onNote?: (note: string) => void;
  onProgress?: (progress: ImportProgress) => void;
}

const MEMBERS = Object.keys(LicenseRecord.properties);

/** How many tracks and clients are kept with their ids, because they recur. */
const MAX_KEPT = 20_000;

/**
 * Imports licenses, identified by their externalId: a second import of a file changes nothing.
 * Rejects a second, different record of one license in one import. Keeps about 100 bytes per
 * license in memory.
 */
export async function importLicenseRecords(options: LicenseImportOptions): Promise<ImportSummary> {
  await using copies = new AsyncDisposableStack();
  const sources = await openSources(options.paths, copies);
  const bytesTotal = sources.reduce(
    (sum, source) => sum + (source.kind === 'catalog' ? source.sizeBytes : 0),
    0,
  );
  const summary = { read: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  let bytesRead = 0;
  const batchId = newId();
  const makeLicense = licenseMaker(options);
  const reject = (rejection: Rejection) => {
    summary.rejected++;
    options.onRejection?.(rejection);
  };

  for (const source of sources) {
    const { path } = source;
    if (source.kind === 'folder') {
      throw new OperatorError(`${path} is not a file of licenses`);
    }
    try {
      const onRead = (bytes: number) => {
        bytesRead += bytes;
      };
      const onNote = (note: string) => options.onNote?.(`${path}: ${note}`);
      for await (const batch of readLicenses(source, { onRead, onNote })) {
        summary.read += batch.length;
        const licenses: License[] = [];
        for (const { position, value, problem } of batch) {
          const made =
            problem === null ? await makeLicense(value) : [{ field: '', message: problem }];
          if (Array.isArray(made)) {
            reject(rejectionOf({ file: path, line: position }, made));
          } else {
            licenses.push(made);
          }
        }
        for (const outcome of await options.licenses.put(licenses, options.by, batchId)) {
          summary[outcome]++;
        }
        options.onProgress?.({ bytesRead, bytesTotal, records: summary.read });
      }
    } catch (error) {
      reject(unreadableRejection(path, error));
    }
  }
  return summary;
}

/** Throws UnreadableError also if the file contains no licenses at all. */
async function* readLicenses(
  { path, file }: { path: string; file: string },
  { onRead, onNote }: { onRead: (bytes: number) => void; onNote: (note: string) => void },
): AsyncGenerator<Decoded[]> {
  const { head, whole } = await readHead(file, HEAD_BYTES);
  const format = recognizeFormat(head, path, whole, { columns: new Set(MEMBERS) });
  if (typeof format === 'string') {
    throw new UnreadableError(0, `the file ${format}; no license records were read`);
  }
  let isFirst = true;
  const lists: DocumentLists = { read: undefined, passedOver: [] };
  for await (const batch of readCatalog({ file, format, mapping: null }, { onRead, lists })) {
    if (isFirst && !batch.some(({ value }) => isLicenseLike(value))) {
      throw new UnreadableError(
        0,
        `the file holds no license records: they have ${MEMBERS.join(', ')}`,
      );
    }
    isFirst = false;
    yield batch;
  }
  if (isFirst) {
    throw new UnreadableError(0, 'the file holds no license records');
  }
  passedOverNotes(lists).forEach(onNote);
}

function isLicenseLike(value: unknown): boolean {
  return (
    isObject(value) &&
    ['externalId', 'track', 'licensedAt'].filter((member) => Object.hasOwn(value, member)).length >=
      2
  );
}

function licenseMaker({ catalog, clients }: LicenseImportOptions) {
  const trackIds = new BoundedMap<string, Promise<string | undefined>>(MAX_KEPT);
  const knownClients = new BoundedMap<string, Promise<boolean>>(MAX_KEPT);
  /** 48 bits of a hash of each delivered license, by its externalId. */
  const delivered = new Map<string, number>();

  return async (value: unknown): Promise<License | FieldProblem[]> => {
    // An empty cell of a CSV file means an absent member.
    const present = isObject(value) ? Object.entries(value).filter(([, cell]) => cell !== '') : [];
    const given = isObject(value) ? Object.fromEntries(present) : value;
    const problems = memberProblems(LicenseRecord, given, () => '');
    if (problems.length > 0) return problems;
    const record = given as LicenseRecord;
    const externalId = trimmed(`${record.externalId}`.normalize('NFC'));
    if (externalId === '' || externalId.includes('\0') || !externalId.isWellFormed()) {
      problems.push({ field: 'externalId', message: 'must be a text that can be stored' });
    }
    if (externalId.startsWith(SOLD_PREFIX)) {
      const message = `must not begin with ${SOLD_PREFIX}, as the ids of licenses that were sold through the API do`;
      problems.push({ field: 'externalId', message });
    }
    const licensedAt = parseReleaseDate(trimmed(`${record.licensedAt}`)) ?? undefined;
    if (licensedAt === undefined) {
      const message = `must be a date such as 2026-11-02 or 2026-11-02T10:00:00Z; it is ${describe(record.licensedAt)}`;
      problems.push({ field: 'licensedAt', message });
    }
    const track = trimmed(record.track);
    const trackId = await keptIn(trackIds, track, () => catalog.resolveTrack(track));
    if (trackId === undefined) {
      const message = `names no track of the catalog; it is ${describe(record.track)}`;
      problems.push({ field: 'track', message });
    }
    const clientId = record.client ?? null;
    const isKnown =
      clientId === null ||
      (await keptIn(
        knownClients,
        clientId,
        async () => (await clients.get(clientId)) !== undefined,
      ));
    if (!isKnown) {
      problems.push({ field: 'client', message: `names no client; it is ${describe(clientId)}` });
    }
    if (problems.length > 0) {
      return problems;
    }
    const license: License = {
      externalId,
      trackId: trackId!,
      mode: record.mode,
      licensedAt: licensedAt!,
      clientId,
    };
    const content = hash('sha1', JSON.stringify(license), 'buffer').readUIntBE(0, 6);
    const before = delivered.get(externalId) ?? content;
    delivered.set(externalId, before);
    const message = 'names a license that this import has delivered already, with other values';
    return before === content ? license : [{ field: 'externalId', message }];
  };
}
