import type { Actor } from '../../../common/caller.ts';
import type { WriteTransaction } from '../../../engines/sql/database.ts';
import { unknownPlaylist } from '../../languages/translations.ts';

/** Grants playlists to a new client. Throws not_found for an unknown playlist. */
export async function grantToNewClient(
  { queries, log }: WriteTransaction,
  { rowId, id, playlistIds }: { rowId: number; id: string; playlistIds: readonly string[] },
  by: Actor,
): Promise<void> {
  for (const playlistId of playlistIds) {
    const granted = await queries
      .insertInto('playlistGrants')
      .columns(['playlistRowId', 'clientRowId'])
      .expression(({ selectFrom, val }) =>
        selectFrom('playlists')
          .select(['rowId', val(rowId).as('clientRowId')])
          .where('id', '=', playlistId),
      )
      .executeTakeFirstOrThrow();
    if (granted.numInsertedOrUpdatedRows === 0n) throw unknownPlaylist(playlistId);
    await log('playlist', [['granted', playlistId, [id]]], { by, batchId: null });
  }
}
