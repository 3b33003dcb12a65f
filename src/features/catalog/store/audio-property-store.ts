import type {} from '../../../engines/sql/database.ts';
import type { NewChange } from '../../../engines/sql/logged-change.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { type ProbedAudio, serializedAudio } from '../audio-properties.ts';

/** Who probes audio, in the change log. */
const BY = 'system:audio';

/** The audio of tracks whose properties are not known yet, and the artwork whose size is not. */
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

  /** As `unprobed`, the artwork of which the size is not known. */
  async unmeasured(after: string, limit: number): Promise<string[]> {
    const rows = await this.database.queries
      .selectFrom('tracks')
      .select('artworkKey')
      .distinct()
      .where('artworkKey', 'is not', null)
      .where('coverBytes', 'is', null)
      .where('artworkKey', '>', after)
      .orderBy('artworkKey')
      .limit(limit)
      .execute();
    return rows.map(({ artworkKey }) => artworkKey!);
  }

  /** Stores sizes of artwork in the form of `coverBytes`, as `record`. An update is that of a stream that says it. */
  async recordCovers(sizes: ReadonlyMap<string, number>): Promise<void> {
    await this.database.write(async ({ queries, log }) => {
      const changes: NewChange<'track'>[] = [];
      for (const [artworkKey, coverBytes] of sizes) {
        const tracks = await queries
          .updateTable('tracks')
          .set({ coverBytes })
          .where('artworkKey', '=', artworkKey)
          .where('coverBytes', 'is', null)
          .returning(['id', 'state', 'samples', 'isPlayable'])
          .execute();
        for (const { id, state, samples, isPlayable } of tracks) {
          const isShown = state === 'live' && samples !== null && coverBytes > 0;
          if (isShown && !isPlayable) changes.push(['updated', id, ['stream']]);
        }
      }
      await log('track', changes, { by: BY, batchId: null });
    });
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
