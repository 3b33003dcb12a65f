import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import type { RegisteredClient } from '../../access/registry.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { parseDocument } from '../../catalog/track-document.ts';
import { artworkPath } from '../../media/artwork/artwork.ts';
import type { LinkedKind, SignedUrls } from '../../media/signed-url.ts';
import { iso, type SharedLink } from '../link.ts';
import type { CollectionTrackStore } from '../store/collection-track-store.ts';
import type { GuestStore } from '../store/guest-store.ts';

export interface SharedTracksNeeds {
  store: {
    collectionTracks: Pick<CollectionTrackStore, 'trackIds' | 'items'>;
    guests: Pick<GuestStore, 'about'>;
  };
  catalog: Pick<LiveCatalog, 'locate' | 'documents'>;
  signedUrls: SignedUrls;
  publicUrl(): string;
  clock: Clock;
}

/** The tracks of a collection as the guests of a link see them. */
export class SharedTracks {
  readonly #needs: SharedTracksNeeds;

  constructor(needs: SharedTracksNeeds) {
    this.#needs = needs;
  }

  /** The row ids of the live tracks, in the order of the collection. */
  async live({ collection, client }: SharedLink): Promise<number[]> {
    const { store, catalog } = this.#needs;
    const ids = await store.collectionTracks.trackIds(collection.id, client);
    return catalog.locate(ids, {}).filter((track) => track !== undefined);
  }

  /** The row id of a live track of the collection. Throws `not_found`. */
  async rowIdOf(trackId: string, { collection, client }: SharedLink): Promise<number> {
    const { store, catalog } = this.#needs;
    const [rowId] = catalog.locate([trackId], {});
    const items =
      rowId === undefined ? [] : await store.collectionTracks.items(collection.id, client, [rowId]);
    if (items.length > 0) return rowId!;
    throw new StaveError('not_found', 'The collection has no track with this id.');
  }

  /** Returns some tracks with what guests say of them. Omits one that is taken down or removed meanwhile. */
  async shown(
    rowIds: readonly number[],
    { link, owner }: { link: SharedLink; owner: RegisteredClient },
  ) {
    const { store, catalog } = this.#needs;
    const documents = await catalog.documents(rowIds);
    const places = await store.collectionTracks.items(link.collection.id, link.client, rowIds);
    const notes = new Map(places.map(({ trackRowId, note }) => [trackRowId, note]));
    const about = await store.guests.about(link, rowIds);
    const urls = this.#urls(link, owner);
    return rowIds.flatMap((rowId, i) => {
      const [document, note] = [documents[i], notes.get(rowId)];
      if (document === undefined || note === undefined) return [];
      const { id, name, slug, artists, durationSeconds, ...track } = parseDocument(document);
      const { bpm, songKey, tags, filters } = track;
      const { votes, comments } = about(rowId);
      return {
        track: {
          ...{ id, name, slug, artists, durationSeconds, bpm, songKey, tags, filters },
          ...urls(document),
        },
        ...{ note, votes },
        comments: comments.map((comment) => ({
          ...{ id: comment.id, name: comment.name, text: comment.text },
          createdAt: iso(comment.createdAt),
        })),
      };
    });
  }

  #urls({ id: linkId, client, streams }: SharedLink, { features, scopes }: RegisteredClient) {
    const { signedUrls, clock } = this.#needs;
    const base = this.#needs.publicUrl();
    const now = clock.now();
    const signer = (kind: LinkedKind) => signedUrls.linkedSigner(kind, client, linkId, now);
    const [stream, preview, waveform] = [signer('stream'), signer('preview'), signer('waveform')];
    const hasWaveforms = features.has('previews') && scopes.has('previews');
    return (document: { id: string; artworkKey: string | null; streamExtension: string }) => {
      const { id, artworkKey, streamExtension } = document;
      return {
        artworkUrl: base + artworkPath(id, artworkKey),
        ...(hasWaveforms && { waveformUrl: base + waveform(id) }),
        ...(streams === 'full'
          ? { streamUrl: base + stream(id, streamExtension) }
          : { previewUrl: base + preview(id, 'mp3') }),
      };
    };
  }
}
