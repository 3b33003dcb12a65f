import { effect } from '@preact/signals';
import { view } from '../browse/location.ts';
import { session } from './session.ts';

const TITLES = {
  search: 'Catalog',
  playlist: 'Playlist',
  collection: 'Collection',
  similar: 'Similar tracks',
  playlists: 'Playlists',
  collections: 'Collections',
  quotes: 'Quotes',
} as const;

/** Names what is shown in the title of the page, for tabs, the history and screen readers. */
export function connectTitle(): void {
  effect(() => {
    const { shown, query } = view.value;
    const isSearch = shown.list === 'search' && query.search;
    const name = isSearch ? `“${query.search}”` : TITLES[shown.list];
    document.title = session.value === undefined ? 'Stave' : `${name} · Stave`;
  });
}
