import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Mode } from '../../access/client.ts';
import type { Actor } from '../../kernel/actor.ts';
import type { Clock } from '../../kernel/clock.ts';
import { StaveError } from '../../kernel/errors.ts';
import type { Licence, LicenceStore, LicensedTrack } from '../../licensing/licence.ts';
import { type Cause, ChangeAppender } from './change-log.ts';
import type { Database } from './database.ts';

/** How many licences one transaction writes: 10 ms of lock or so. */
const WRITE_SLICE = 500;
/** How many licences, or tracks, one step of the count reads before the event loop has its turn. */
const COUNT_SLICE = 5_000;
const SINCE_EVER = Number.MIN_SAFE_INTEGER;

type Outcome = 'created' | 'updated' | 'unchanged';

/** Licences on SQLite. */
export class SqliteLicenceStore implements LicenceStore {
  readonly #database: Database;
  readonly #changes: ChangeAppender;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#changes = new ChangeAppender(database, clock);
  }

  async put(licences: readonly Licence[], by: Actor, batchId: string): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let from = 0; from < licences.length; from += WRITE_SLICE) {
      const slice = licences.slice(from, from + WRITE_SLICE);
      outcomes.push(...(await this.#database.write(() => this.#putSlice(slice, { by, batchId }))));
    }
    return outcomes;
  }

  async mostLicensed(mode: Mode, since: number | null): Promise<LicensedTrack[]> {
    const licensed = await this.#licensed(mode, since ?? SINCE_EVER);
    return licensed
      .filter(({ isLive }) => isLive)
      .map(({ trackId, licenseCount }) => ({ trackId, licenseCount }))
      .sort((a, b) => b.licenseCount - a.licenseCount || (a.trackId < b.trackId ? -1 : 1));
  }

  async countsByTrack(mode: Mode): Promise<Map<string, number>> {
    const licensed = await this.#licensed(mode, SINCE_EVER);
    return new Map(licensed.map(({ trackId, licenseCount }) => [trackId, licenseCount]));
  }

  /** In no order. */
  async #licensed(mode: Mode, since: number): Promise<(LicensedTrack & { isLive: boolean })[]> {
    const sql = (marks: string) =>
      `SELECT no, id, state = 'live' FROM tracks WHERE no IN (${marks})`;
    const counts = await this.#countByNumber(mode, since);
    const numbers = [...counts.keys()];
    const licensed: (LicensedTrack & { isLive: boolean })[] = [];
    for (let from = 0; from < numbers.length; from += COUNT_SLICE) {
      const rows = await this.#database.read(() =>
        this.#database.rowsIn(sql, numbers.slice(from, from + COUNT_SLICE)),
      );
      for (const [no, trackId, isLive] of rows as [number, string, number][]) {
        licensed.push({ trackId, licenseCount: counts.get(no)!, isLive: isLive === 1 });
      }
      await nextTurn();
    }
    return licensed;
  }

  /** In steps along the index, so that a million licences do not hold up the event loop. */
  async #countByNumber(mode: Mode, since: number): Promise<Map<number, number>> {
    const sql = `
      SELECT licensed_at, track_no, no FROM licences
      WHERE mode = ?1 AND licensed_at >= ?2
        AND (licensed_at, track_no, no) > (?2, ?3, ?4)
      ORDER BY licensed_at, track_no, no LIMIT ?5`;
    const counts = new Map<number, number>();
    let last: [number, number, number] = [since, 0, 0];
    for (;;) {
      const rows = (await this.#database.read(() =>
        this.#database.prepareRows(sql).all(mode, ...last, COUNT_SLICE),
      )) as unknown as [number, number, number][];
      for (const [, trackNo] of rows) counts.set(trackNo, (counts.get(trackNo) ?? 0) + 1);
      if (rows.length < COUNT_SLICE) return counts;
      last = rows.at(-1)!;
      await nextTurn();
    }
  }

  #putSlice(licences: readonly Licence[], cause: Cause): Outcome[] {
    const outcomes = licences.map((licence) => this.#putOne(licence));
    const changes = licences
      .map((licence, i) => [outcomes[i]!, licence.externalId] as const)
      .filter((change): change is ['created' | 'updated', string] => change[0] !== 'unchanged');
    this.#changes.appendAll('licence', changes, cause);
    return outcomes;
  }

  #putOne({ externalId, trackId, mode, licensedAt, clientId }: Licence): Outcome {
    const track = this.#database.prepare('SELECT no FROM tracks WHERE id = ?').get(trackId);
    if (track === undefined) throw new StaveError('not_found', `There is no track ${trackId}.`);
    const trackNo = track.no as number;
    const before = this.#database
      .prepare('SELECT track_no, mode, licensed_at, client_id FROM licences WHERE external_id = ?')
      .get(externalId);
    if (before === undefined) {
      this.#database
        .prepare(`
          INSERT INTO licences (external_id, track_no, mode, licensed_at, client_id)
          VALUES (?, ?, ?, ?, ?)`)
        .run(externalId, trackNo, mode, licensedAt, clientId);
      return 'created';
    }
    const same =
      before.track_no === trackNo &&
      before.mode === mode &&
      before.licensed_at === licensedAt &&
      before.client_id === clientId;
    if (same) return 'unchanged';
    this.#database
      .prepare(`
        UPDATE licences SET track_no = ?, mode = ?, licensed_at = ?, client_id = ?
        WHERE external_id = ?`)
      .run(trackNo, mode, licensedAt, clientId, externalId);
    return 'updated';
  }
}
