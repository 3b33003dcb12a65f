import type { Mode } from '../../access/client.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { StaveError } from '../../kernel/errors.ts';
import type { Licence, LicenceStore, LicensedTrack } from '../../licensing/licence.ts';
import { ChangeAppender } from './change-log.ts';
import type { Database, Transaction } from './database.ts';

/** How many licences one transaction writes: 20 ms of lock or so. */
const WRITE_SLICE = 500;
const SINCE_EVER = Number.MIN_SAFE_INTEGER;

type Outcome = 'created' | 'updated' | 'unchanged';
type StoredLicence = Omit<Licence, 'trackId'> & { trackNo: number };

/** Licences on PostgreSQL. */
export class PostgresLicenceStore implements LicenceStore {
  readonly #database: Database;
  readonly #changes: ChangeAppender;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#changes = new ChangeAppender(clock);
  }

  async put(licences: readonly Licence[], by: Actor, batchId: string): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let from = 0; from < licences.length; from += WRITE_SLICE) {
      const slice = licences.slice(from, from + WRITE_SLICE);
      const made = await this.#database.write(async (tx) => {
        const written = await putSlice(tx, slice);
        const changed = slice.flatMap(({ externalId }, i): ['created' | 'updated', string][] =>
          written[i] === 'unchanged' ? [] : [[written[i]!, externalId]],
        );
        await this.#changes.appendAll(tx, 'licence', changed, { by, batchId });
        return written;
      });
      outcomes.push(...made);
    }
    return outcomes;
  }

  mostLicensed(mode: Mode, since: number | null): Promise<LicensedTrack[]> {
    const sql = `
      SELECT t.id AS "trackId", count AS "licenseCount" FROM (
        SELECT track_no, count(*) AS count FROM licences
        WHERE mode = $1 AND licensed_at >= $2 GROUP BY track_no
      ) licensed JOIN tracks t ON t.no = track_no
      WHERE t.state = 'live' ORDER BY count DESC, t.id`;
    return this.#database.rows<LicensedTrack>(sql, [mode, since ?? SINCE_EVER]);
  }

  async countsByTrack(mode: Mode): Promise<Map<string, number>> {
    const sql = `
      SELECT t.id, count FROM (
        SELECT track_no, count(*) AS count FROM licences WHERE mode = $1 GROUP BY track_no
      ) licensed JOIN tracks t ON t.no = track_no`;
    const rows = await this.#database.rows<{ id: string; count: number }>(sql, [mode]);
    return new Map(rows.map(({ id, count }) => [id, count]));
  }
}

/** One after the other as far as outcomes go, for an externalId may come twice; few statements. */
async function putSlice(tx: Transaction, licences: readonly Licence[]): Promise<Outcome[]> {
  const trackNos = await numbersOfTracks(tx, licences);
  const stored = await storedLicences(tx, licences);
  const latest = new Map<string, StoredLicence>();
  const outcomes = licences.map(({ trackId, ...rest }): Outcome => {
    const licence = { ...rest, trackNo: trackNos.get(trackId)! };
    const before = latest.get(rest.externalId) ?? stored.get(rest.externalId);
    if (before !== undefined && isSame(before, licence)) return 'unchanged';
    latest.set(rest.externalId, licence);
    return before === undefined ? 'created' : 'updated';
  });
  const rows = [...latest.values()];
  await tx.run(
    `INSERT INTO licences (external_id, track_no, mode, licensed_at, client_id)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[])
     ON CONFLICT (external_id) DO UPDATE SET track_no = excluded.track_no, mode = excluded.mode,
       licensed_at = excluded.licensed_at, client_id = excluded.client_id`,
    [
      rows.map(({ externalId }) => externalId),
      rows.map(({ trackNo }) => trackNo),
      rows.map(({ mode }) => mode),
      rows.map(({ licensedAt }) => licensedAt),
      rows.map(({ clientId }) => clientId),
    ],
  );
  return outcomes;
}

async function numbersOfTracks(
  tx: Transaction,
  licences: readonly Licence[],
): Promise<Map<string, number>> {
  const ids = [...new Set(licences.map(({ trackId }) => trackId))];
  const sql = 'SELECT id, no FROM tracks WHERE id = ANY($1::text[])';
  const rows = await tx.rows<{ id: string; no: number }>(sql, [ids]);
  const numbers = new Map(rows.map(({ id, no }) => [id, no]));
  const unknown = ids.find((id) => !numbers.has(id));
  if (unknown !== undefined) throw new StaveError('not_found', `There is no track ${unknown}.`);
  return numbers;
}

async function storedLicences(
  tx: Transaction,
  licences: readonly Licence[],
): Promise<Map<string, StoredLicence>> {
  const sql = `
    SELECT external_id AS "externalId", track_no AS "trackNo", mode, licensed_at AS "licensedAt",
           client_id AS "clientId"
    FROM licences WHERE external_id = ANY($1::text[])`;
  const rows = await tx.rows<StoredLicence>(sql, [licences.map(({ externalId }) => externalId)]);
  return new Map(rows.map((row) => [row.externalId, row]));
}

function isSame(a: StoredLicence, b: StoredLicence): boolean {
  return (
    a.trackNo === b.trackNo &&
    a.mode === b.mode &&
    a.licensedAt === b.licensedAt &&
    a.clientId === b.clientId
  );
}
