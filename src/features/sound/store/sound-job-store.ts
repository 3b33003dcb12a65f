import type { Clock } from '../../../common/clock.ts';
import { ANALYSIS_VERSION } from '../../../engines/audio/sound/sound-analysis.ts';
import type { SqlDatabase } from '../../../engines/sql/database.ts';
import type { RenditionName, TrackSound } from '../../renditions/rendition.ts';
import { RenditionStore } from '../../renditions/store/rendition-store.ts';

/** The jobs of analyses. They differ from those of renditions in their table, and are deleted when they are done. */
export class SoundJobStore extends RenditionStore {
  constructor(database: SqlDatabase, clock: Clock) {
    super(database, clock, 'soundJobs');
  }

  /** Adds jobs for the audio that this version of the analysis, or a later one, has not analyzed. */
  override async add(names: readonly RenditionName[]): Promise<number> {
    const { queries, dialect } = this.database;
    const keys = names.map(({ audioKey }) => audioKey);
    const analyzed = await queries
      .selectFrom('sounds')
      .select('audioKey')
      .where(({ ref }) => dialect.isOneOf(ref('audioKey'), keys))
      .where('version', '>=', ANALYSIS_VERSION)
      .execute();
    const known = new Set(analyzed.map(({ audioKey }) => audioKey));
    return super.add(names.filter(({ audioKey }) => !known.has(audioKey)));
  }
}

/** The stores of jobs only compare the kind, so that the one of a job without a file may be in their table. */
const ANALYSIS = 'analysis' as RenditionName['kind'];

/** The analysis that a track needs. */
export function analysesOf({ audioKey }: TrackSound): RenditionName[] {
  return audioKey === null ? [] : [{ audioKey, kind: ANALYSIS, variant: String(ANALYSIS_VERSION) }];
}
