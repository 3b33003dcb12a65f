import { effect } from '@preact/signals';
import { view } from '../browse/location.ts';
import { titleOf } from '../browse/summary.ts';
import { type Key, t } from '../texts/texts.ts';
import { session } from './session.ts';

/** What a view is called, as long as nothing more is known of it. */
export const TITLES = {
  playlist: 'playlist',
  collection: 'collection',
  similar: 'similarTracks',
  'saved-search': 'savedSearch',
  'by-audio': 'soundsLikeFile',
  playlists: 'playlists',
  collections: 'collections',
  'saved-searches': 'savedSearches',
  quotes: 'quotes',
  licenses: 'licenses',
  quote: 'quote',
  license: 'license',
} as const satisfies Record<string, Key>;

/** Names what is shown in the title of the page, for tabs, the history and screen readers. */
export function connectTitle(): void {
  effect(() => {
    const { shown, query } = view.value;
    const name = shown.list === 'search' ? titleOf(query) : t(TITLES[shown.list]);
    document.title = session.value === undefined ? 'Stave' : `${name} · Stave`;
  });
}
