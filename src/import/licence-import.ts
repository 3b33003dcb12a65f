import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ClientStore } from '../access/store.ts';
import type { CatalogStore } from '../catalog/store.ts';
import type { Actor } from '../kernel/actor.ts';
import type { FieldProblem } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { OperatorError } from '../kernel/operator-error.ts';
import type { Licence, LicenceStore } from '../licensing/licence.ts';
import { isLicenceRecord, LICENCE_MEMBERS, licenceProblems } from '../licensing/licence-record.ts';
import { parseReleaseDate } from './canonical/release-date.ts';
import { readHead } from './decode/bytes.ts';
import { type Decoded, UnreadableError } from './decode/decoded.ts';
import { recogniseFormat } from './decode/format.ts';
import { readCatalog } from './plan.ts';
import { describe } from './record.ts';
import { type Rejection, rejectionOf } from './rejection.ts';
import type { ImportProgress, ImportSummary } from './run.ts';
import { openSources } from './sources.ts';

/** What to import, and into what. */
export interface LicenceImportOptions {
  paths: readonly string[];
  licences: LicenceStore;
  catalog: Pick<CatalogStore, 'resolveTrack'>;
  clients: Pick<ClientStore, 'get'>;
  by: Actor;
  onRejection?: (rejection: Rejection) => void;
  onProgress?: (progress: ImportProgress) => void;
}

/** Tracks are licensed again and again; so many slugs are remembered with what they resolve to. */
const MAX_REMEMBERED = 20_000;

/**
 * Imports licences, known by their externalId: read twice, a file changes nothing. A second,
 * different record of one licence in one import is rejected. Keeps about 100 bytes a licence.
 */
export async function importLicenceRecords(options: LicenceImportOptions): Promise<ImportSummary> {
  const sources = await openSources(options.paths);
  const bytesTotal = sources.reduce(
    (sum, source) => sum + (source.kind === 'catalog' ? source.sizeBytes : 0),
    0,
  );
  const summary = { read: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  let bytesRead = 0;
  const batchId = newId();
  const makeLicence = licenceMaker(options);
  const reject = (rejection: Rejection) => {
    summary.rejected++;
    options.onRejection?.(rejection);
  };

  for (const { kind, path } of sources) {
    if (kind === 'folder') {
      throw new OperatorError(`${path} is no file of licences`);
    }
    try {
      for await (const batch of readLicences(path, (bytes) => {
        bytesRead += bytes;
      })) {
        summary.read += batch.length;
        const licences: Licence[] = [];
        for (const { position, value, problem } of batch) {
          const made =
            problem === null ? await makeLicence(value) : [{ field: '', message: problem }];
          if (Array.isArray(made)) {
            reject(rejectionOf(path, position, made));
          } else {
            licences.push(made);
          }
        }
        for (const outcome of await options.licences.put(licences, options.by, batchId)) {
          summary[outcome]++;
        }
        options.onProgress?.({ bytesRead, bytesTotal, records: summary.read });
      }
    } catch (error) {
      if (!(error instanceof UnreadableError)) {
        throw error;
      }
      const line = error.position > 0 ? error.position : null;
      reject({ file: path, line, field: '', reason: error.message });
    }
  }
  return summary;
}

/** Throws UnreadableError, too, for a file that holds no licences at all. */
async function* readLicences(
  path: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<Decoded[]> {
  const { head, whole } = await readHead(path, 64 * 1024);
  const format = recogniseFormat(head, path, whole);
  if (typeof format === 'string') {
    throw new UnreadableError(0, `the file ${format}; it holds no licence records`);
  }
  let isFirst = true;
  for await (const batch of readCatalog({ path, format, mapping: null, notes: [] }, onRead)) {
    if (isFirst && !batch.some(({ value }) => isLicenceLike(value))) {
      throw new UnreadableError(
        0,
        `the file holds no licence records: they have ${LICENCE_MEMBERS.join(', ')}`,
      );
    }
    isFirst = false;
    yield batch;
  }
  if (isFirst) {
    throw new UnreadableError(0, 'the file holds no licence records');
  }
}

function isLicenceLike(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['externalId', 'track', 'licensedAt'].filter((member) => Object.hasOwn(value, member)).length >=
      2
  );
}

/** Makes licences of records, or says what is wrong with them. */
function licenceMaker({ catalog, clients }: LicenceImportOptions) {
  const trackIds = new LRUCache<string, { id: string | null }>({ max: MAX_REMEMBERED });
  const clientIds = new LRUCache<string, { isKnown: boolean }>({ max: MAX_REMEMBERED });
  /** What was delivered, by externalId; both as hashes. */
  const delivered = new Map<number, number>();

  async function trackIdOf(track: string): Promise<string | null> {
    let found = trackIds.get(track);
    if (found === undefined) {
      found = { id: (await catalog.resolveTrack(track)) ?? null };
      trackIds.set(track, found);
    }
    return found.id;
  }

  async function isClient(id: string): Promise<boolean> {
    let found = clientIds.get(id);
    if (found === undefined) {
      found = { isKnown: (await clients.get(id)) !== undefined };
      clientIds.set(id, found);
    }
    return found.isKnown;
  }

  return async (value: unknown): Promise<Licence | FieldProblem[]> => {
    const record = isEmptyClient(value) ? { ...(value as object), client: null } : value;
    if (!isLicenceRecord(record)) {
      return licenceProblems(record);
    }
    const problems: FieldProblem[] = [];
    const externalId = `${record.externalId}`.normalize('NFC').trim();
    if (externalId === '' || externalId.includes('\0') || !externalId.isWellFormed()) {
      problems.push({ field: 'externalId', message: 'must be a text that can be stored' });
    }
    const licensedAt = parseReleaseDate(`${record.licensedAt}`.trim()) ?? undefined;
    if (licensedAt === undefined) {
      const message = `must be a date such as 2026-11-02 or 2026-11-02T10:00:00Z; it is ${describe(record.licensedAt)}`;
      problems.push({ field: 'licensedAt', message });
    }
    const trackId = await trackIdOf(record.track.trim());
    if (trackId === null) {
      const message = `names no track of the catalog; it is ${describe(record.track)}`;
      problems.push({ field: 'track', message });
    }
    const clientId = record.client ?? null;
    if (clientId !== null && !(await isClient(clientId))) {
      problems.push({ field: 'client', message: `names no client; it is ${describe(clientId)}` });
    }
    if (problems.length > 0) {
      return problems;
    }
    const licence: Licence = {
      externalId,
      trackId: trackId!,
      mode: record.mode,
      licensedAt: licensedAt!,
      clientId,
    };
    return isContradicted(licence, delivered)
      ? [
          {
            field: 'externalId',
            message: 'names a licence that this import has delivered already, with other values',
          },
        ]
      : licence;
  };
}

/** An empty cell of a CSV file. */
function isEmptyClient(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'client') === '';
}

function isContradicted(licence: Licence, delivered: Map<number, number>): boolean {
  const name = shortHash(licence.externalId);
  const content = shortHash(JSON.stringify(licence));
  const before = delivered.get(name);
  delivered.set(name, before ?? content);
  return before !== undefined && before !== content;
}

/** 53 bits, as many as a number holds exactly: two of a million texts agree once in 18,000 imports. */
function shortHash(text: string): number {
  const digest = createHash('sha1').update(text).digest();
  return (digest.readUInt32BE(0) & 0x1fffff) * 0x1_0000_0000 + digest.readUInt32BE(4);
}
