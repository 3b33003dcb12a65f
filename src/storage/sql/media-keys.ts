import type { RenditionName } from '../../media/renditions/rendition-store.ts';
import type { Queries } from './database.ts';

/** The columns of tracks, and of former tracks, with media keys. */
export const MEDIA_COLUMNS = ['audio_key', 'artwork_key', 'preview_key', 'waveform_key'] as const;

/** The number of renditions that one step of the walk reads. */
const WALK_SLICE = 2_000;

/** All media keys of renditions, in slices. */
export async function* renditionMediaKeys(queries: Queries): AsyncIterable<string[]> {
  let last: RenditionName = { audioKey: '', kind: 'preview', variant: '' };
  for (;;) {
    const { audioKey, kind, variant } = last;
    const rows = await queries
      .selectFrom('renditions')
      .select(['audioKey', 'kind', 'variant', 'mediaKey'])
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('audioKey', 'kind', 'variant'), '>', tuple(audioKey, kind, variant)),
      )
      .orderBy('audioKey')
      .orderBy('kind')
      .orderBy('variant')
      .limit(WALK_SLICE)
      .execute();
    if (rows.length === 0) return;
    yield rows.flatMap(({ mediaKey }) => mediaKey ?? []);
    last = rows.at(-1)!;
  }
}
