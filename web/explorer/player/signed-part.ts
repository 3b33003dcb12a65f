import type { StaveClient, StreamSigner } from '#client';
import { partsOf } from '../list/part.ts';
import type { Row } from '../list/source.ts';
import { t } from '../texts/texts.ts';

/** Returns what gives the player the URLs of a row: those of its track, or of the part of it. */
export function signerOf({ track, part }: Row, stave: StaveClient): StreamSigner {
  if (part === undefined) return stave;
  return {
    async signStreams(_, { signal }) {
      const parts = await stave.listStems({ slug: track.slug }, { signal });
      const { url } = partsOf(parts).find(({ id }) => id === part.id) ?? {};
      if (url === undefined) throw new Error(t('partRemoved'));
      const expiry = { streamUrl: url, streamUrlExpiresAt: parts.urlsExpireAt };
      return { items: [{ trackId: track.id, ...expiry }] };
    },
  };
}
