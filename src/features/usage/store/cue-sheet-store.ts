import type { Mode } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import { compiledOnce, type Queries, type SqlDialect } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { provenanceOf } from '../../catalog/provenance.ts';
import type { StoredCredit } from '../../catalog/store/references.ts';
import { SHOWN_PROVENANCE } from '../../catalog/store/shown-provenance.ts';
import type { Writer } from '../../catalog/writers.ts';
import { licensesLike } from '../../licensing/store/license-queries.ts';
import {
  type CueSheet,
  cueSheetOf,
  MAX_CUES,
  type ReportedProduction,
  type ReportedSync,
} from '../cue-sheet.ts';
import type { Cue, Production } from '../usage.ts';

const selectProduction = compiledOnce(
  (
    queries,
    { clientId, mode, productionId }: { clientId: string; mode: Mode; productionId: string },
  ) =>
    queries
      .selectFrom('usageSources')
      .innerJoin('productions', 'productions.sourceRowId', 'usageSources.rowId')
      .select(['productions.sourceRowId', 'productions.document'])
      .where('usageSources.clientId', '=', clientId)
      .where('usageSources.mode', '=', mode)
      .where('productions.productionId', '=', productionId),
);

const selectSyncs = compiledOnce(
  (queries, { sourceRowId, productionId }: { sourceRowId: number; productionId: string }) =>
    queries
      .selectFrom('usageEvents')
      .innerJoin('usageTracks', 'usageTracks.trackRowId', 'usageEvents.trackRowId')
      .select(['usageEvents.eventId', 'usageEvents.trackRowId', 'usageEvents.seconds'])
      .select(['usageEvents.cue', 'usageEvents.licenseNumber'])
      .select(['usageTracks.id', 'usageTracks.name', 'usageTracks.isrc'])
      .where('usageEvents.sourceRowId', '=', sourceRowId)
      .where('usageEvents.productionId', '=', productionId)
      .orderBy('usageEvents.rowId')
      .limit(MAX_CUES + 1),
);

type Work = Pick<ReportedSync, 'title' | 'isrc' | 'iswc' | 'provenance' | 'credits' | 'writers'>;

/** What is not known of a track that was removed. */
const REMOVED = { iswc: null, provenance: null, credits: [], writers: [] };

export class CueSheetStore extends SqlStore {
  /**
   * Returns the cue sheet of a production of a client in a mode, with the licenses that are active at a time. Throws
   * `not_found` if the client has reported nothing of the production.
   */
  async find({
    productionId,
    ...of
  }: {
    productionId: string;
    clientId: string;
    mode: Mode;
    now: number;
  }): Promise<CueSheet> {
    const reported = await this.productionOf(of.clientId, of.mode, productionId);
    if (reported === undefined) {
      throw new StaveError('not_found', `Nothing is reported of a production ${productionId}.`);
    }
    const unlicensed = reported.syncs.filter(({ licenseNumber }) => licenseNumber === null);
    const trackIds = new Set(unlicensed.map(({ trackId }) => trackId));
    const licenses = await this.licensesOf(productionId, [...trackIds], of);
    const syncs = reported.syncs.map((sync) => ({
      ...sync,
      licenseNumber: sync.licenseNumber ?? licenses.get(sync.trackId) ?? null,
    }));
    return cueSheetOf({ ...reported, syncs });
  }

  /**
   * Returns, by track id, the newest license of the client for the production that is active at a time, in milliseconds
   * since the epoch. Tracks without one are absent.
   */
  async licensesOf(
    productionId: string,
    trackIds: readonly string[],
    of: { clientId: string; mode: Mode; now: number },
  ): Promise<ReadonlyMap<string, string>> {
    const { queries, dialect } = this.database;
    const licenses = licensesLike(queries, { ...of, status: 'active' })
      .select(['rowId', 'number', 'issuedAt'])
      .where('productionId', '=', productionId);
    const placed = queries
      .selectFrom(licenses.as('license'))
      .innerJoin('issuedLicenseTracks as track', 'track.licenseRowId', 'license.rowId')
      .select(['track.trackId', 'license.number'])
      .select(({ fn }) =>
        fn
          .agg<number>('row_number')
          .over((over) =>
            over
              .partitionBy('track.trackId')
              .orderBy('license.issuedAt', 'desc')
              .orderBy('license.number', 'desc'),
          )
          .as('place'),
      )
      .where(({ ref }) => dialect.isOneOf(ref('track.trackId'), trackIds));
    const newest = await queries
      .selectFrom(placed.as('placed'))
      .select(['trackId', 'number'])
      .where('place', '=', 1)
      .execute();
    return new Map(newest.map(({ trackId, number }) => [trackId, number]));
  }

  /** Undefined if the client has reported nothing of the production in the mode. */
  productionOf(
    clientId: string,
    mode: Mode,
    productionId: string,
  ): Promise<ReportedProduction | undefined> {
    return this.database.view(async (queries) => {
      const [found] = await selectProduction(queries, { clientId, mode, productionId });
      if (found === undefined) return undefined;
      const syncs = await selectSyncs(queries, { sourceRowId: found.sourceRowId, productionId });
      const rowIds = [...new Set(syncs.map(({ trackRowId }) => trackRowId))];
      const works = await worksOf(queries, this.database.dialect, rowIds);
      return {
        production: parseStored<Production>(found.document),
        syncs: syncs.map(({ id, name, isrc, trackRowId, seconds, cue, ...sync }) => ({
          ...sync,
          trackId: id,
          seconds: seconds ?? 0,
          cue: parseStored<Cue>(cue!),
          ...(works.get(trackRowId) ?? { ...REMOVED, title: name, isrc }),
        })),
      };
    });
  }
}

/** Returns the metadata of tracks by row id. Removed tracks are absent. */
async function worksOf(
  queries: Queries,
  dialect: SqlDialect,
  rowIds: readonly number[],
): Promise<Map<number, Work>> {
  const tracks = await queries
    .selectFrom('tracks')
    .select(['rowId', 'name', 'isrc', 'iswc', 'artists'])
    .select(SHOWN_PROVENANCE)
    .where(({ ref }) => dialect.isOneOf(ref('rowId'), rowIds))
    .execute();
  const credits = new Map(
    tracks.map(({ rowId, artists }) => [rowId, parseStored<StoredCredit[]>(artists)]),
  );
  const artistRowIds = new Set([...credits.values()].flat().map(([artistRowId]) => artistRowId));
  const artists = await queries
    .selectFrom('artists')
    .select(['rowId', 'name'])
    .where(({ ref }) => dialect.isOneOf(ref('rowId'), [...artistRowIds]))
    .execute();
  const names = new Map(artists.map(({ rowId, name }) => [rowId, name]));
  const writers = await queries
    .selectFrom('trackWriters')
    .select(['trackRowId', 'name', 'role', 'ipi', 'society', 'share'])
    .where(({ ref }) => dialect.isOneOf(ref('trackRowId'), rowIds))
    .orderBy('trackRowId')
    .orderBy('position')
    .execute();
  const byTrack = Map.groupBy(writers, ({ trackRowId }) => trackRowId);
  return new Map(
    tracks.map(({ rowId, name, isrc, iswc, artists: _, ...provenance }) => [
      rowId,
      {
        title: name,
        isrc,
        iswc,
        provenance: provenanceOf(provenance),
        credits: credits
          .get(rowId)!
          .flatMap(([artistRowId, role]) =>
            names.has(artistRowId) ? [{ name: names.get(artistRowId)!, role }] : [],
          ),
        writers: (byTrack.get(rowId) ?? []).map(({ trackRowId: _, ...writer }): Writer => writer),
      },
    ]),
  );
}
