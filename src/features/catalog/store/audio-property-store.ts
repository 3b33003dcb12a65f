import type {} from '../../../engines/sql/database.ts';
import type { NewChange } from '../../../engines/sql/logged-change.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { type ProbedAudio, serializedAudio } from '../audio-properties.ts';

/** Who probes audio, in the change log. */
const BY = 'system:audio';

/** The audio of tracks whose properties are not known yet. */
export class AudioPropertyStore extends SqlStore {
  /** Returns up to `limit` different media keys after one, in ascending order. The empty text comes before all keys. */
  async unprobed(after: string, limit: number): Promise<string[]> {
    const rows = await this.database.queries
      .selectFrom('tracks')
      .select('audioKey')
      .distinct()
      .where('audioKey', 'is not', null)
      .where('isPlayable', 'is', null)
      .where('audioKey', '>', after)
      .orderBy('audioKey')
      .limit(limit)
      .execute();
    return rows.map(({ audioKey }) => audioKey!);
  }

  /** Stores the properties of audio by media key, in one transaction, and logs an update of each live track. */
  async record(probed: ReadonlyMap<string, ProbedAudio>): Promise<void> {
    await this.database.write(async ({ queries, log }) => {
      const changes: NewChange<'track'>[] = [];
      for (const [audioKey, { samples, isPlayable, ...properties }] of probed) {
        const tracks = await queries
          .updateTable('tracks')
          .set({ audioProperties: serializedAudio(properties), samples, isPlayable })
          .set({ updatedAt: this.clock.now() })
          .where('audioKey', '=', audioKey)
          .where('isPlayable', 'is', null)
          .returning(['id', 'state'])
          .execute();
        for (const { id, state } of tracks) {
          if (state === 'live') changes.push(['updated', id, ['audio', 'stream']]);
        }
      }
      await log('track', changes, { by: BY, batchId: null });
    });
  }
}
