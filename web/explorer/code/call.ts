import type { View } from '../browse/view.ts';
import { visible } from '../list/shown-list.ts';
import type { Call } from '../list/source.ts';

/** The request whose response the view shows; undefined while it shows nothing. */
export function callOf({ shown, track }: View): Call | undefined {
  const get = (operation: string, path: string, input: Call['input'] = {}): Call => ({
    operation,
    method: 'GET',
    path,
    input,
  });
  if (track !== undefined) return get('showTrack', '/v1/tracks/{slug}', { slug: track });
  if (shown.list === 'playlists') return get('listPlaylists', '/v1/playlists');
  if (shown.list === 'collections') return get('listCollections', '/v1/collections');
  if (shown.list === 'saved-searches') return get('listSavedSearches', '/v1/saved-searches');
  if (shown.list === 'quotes') return get('listQuotes', '/v1/quotes');
  if (shown.list === 'licenses') return get('listLicenses', '/v1/licenses');
  if (shown.list === 'quote') return get('showQuote', '/v1/quotes/{id}', { id: shown.of });
  if (shown.list === 'license') {
    return get('showLicense', '/v1/licenses/{number}', { number: shown.of });
  }
  return visible.value?.source.call;
}
