import { DAY_MS } from '../../../common/clock.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import type { LicenseDownload } from '../download.ts';

/** What a licensed file needs of a track besides its record. */
export interface LicensedWork {
  /** Null if it is unknown. */
  iswc: string | null;
  /** Whether it was taken down from licenses, too. */
  isWithheld: boolean;
}

/** What was downloaded under licenses, and whether that is still allowed. Downloads are not in the change log. */
export class LicenseDownloadStore extends SqlStore {
  /** Records a download. Returns false if the same file was downloaded on the same day in UTC before. */
  async record(number: string, { partId, ...download }: LicenseDownload): Promise<boolean> {
    const day = download.at - (download.at % DAY_MS);
    return this.database.apart(async (queries) => {
      const { rowId: licenseRowId } = await queries
        .selectFrom('issuedLicenses')
        .select('rowId')
        .where('number', '=', number)
        .executeTakeFirstOrThrow();
      const { numInsertedOrUpdatedRows } = await queries
        .insertInto('licenseDownloads')
        .values({ licenseRowId, day, partId: partId ?? '', ...download })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    });
  }

  /** The downloads of a license, the latest first, and their number. */
  async list(
    number: string,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ downloads: LicenseDownload[]; total: number }> {
    return this.database.view(async (queries) => {
      const ofLicense = queries
        .selectFrom('licenseDownloads')
        .innerJoin('issuedLicenses', 'issuedLicenses.rowId', 'licenseDownloads.licenseRowId')
        .where('number', '=', number);
      const { total } = await ofLicense
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows = await ofLicense
        .select(['trackId', 'partId', 'format', 'at', 'bytes'])
        .orderBy('at', 'desc')
        .orderBy('trackId')
        .orderBy('partId')
        .orderBy('format')
        .offset(offset)
        .limit(limit)
        .execute();
      return { downloads: rows.map((row) => ({ ...row, partId: row.partId || null })), total };
    });
  }

  /** Those of the numbers whose licenses were revoked. */
  async revoked(numbers: readonly string[]): Promise<string[]> {
    const { queries, dialect } = this.database;
    const rows = await queries
      .selectFrom('issuedLicenses')
      .select('number')
      .where(({ ref }) => dialect.isOneOf(ref('number'), numbers))
      .where('revokedAt', 'is not', null)
      .execute();
    return rows.map(({ number }) => number);
  }

  /** Undefined for a track that is no longer in the catalog. */
  async work(trackId: string): Promise<LicensedWork | undefined> {
    const row = await this.database.queries
      .selectFrom('tracks')
      .leftJoin('withheldTracks', 'withheldTracks.trackRowId', 'tracks.rowId')
      .select(['iswc', 'withheldTracks.trackRowId as withheld'])
      .where('id', '=', trackId)
      .executeTakeFirst();
    return row && { iswc: row.iswc, isWithheld: row.withheld !== null };
  }
}
