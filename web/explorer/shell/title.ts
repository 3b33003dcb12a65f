import { effect } from '@preact/signals';
import { view } from '../browse/location.ts';
import { titleOf } from '../browse/summary.ts';
import { session } from './session.ts';

/** What a view is called, as long as nothing more is known of it. */
export const TITLES = {
  playlist: 'Playlist',
  collection: 'Collection',
  similar: 'Similar tracks',
  'saved-search': 'Saved search',
  'by-audio': 'Sounds like a file',
  playlists: 'Playlists',
  collections: 'Collections',
  'saved-searches': 'Saved searches',
  quotes: 'Quotes',
} as const;

/** Names what is shown in the title of the page, for tabs, the history and screen readers. */
export function connectTitle(): void {
  effect(() => {
    const { shown, query } = view.value;
    const name = shown.list === 'search' ? titleOf(query) : TITLES[shown.list];
    document.title = session.value === undefined ? 'Stave' : `${name} · Stave`;
  });
}
