import { escaped } from '../../common/text/shown.ts';
import { GUIDES } from '../openapi/guides.ts';
import { htmlPage } from './html-page.ts';

/** A track that the welcome page offers to play. */
export interface WelcomeTrack {
  name: string;
  artist: string;
  artworkUrl: string;
  /** A signed URL that plays in an `<audio>` element. */
  streamUrl: string;
}

/**
 * Returns the page at `/` where the explorer is not built: what the service is, links to its documentation, and a track to play, if
 * there is one.
 */
export function welcomePage(track: WelcomeTrack | undefined): string {
  const links = [
    ['docs', 'Guides', 'Getting started, tasks, errors, and a search.'],
    ['docs/reference', 'API reference', 'Every operation, with a form to try it.'],
    ...GUIDES.map(({ path, title, summary }) => [`docs/${path}`, title, summary]),
    ['openapi.json', 'OpenAPI document', 'For code generators and API clients.'],
  ] as [href: string, text: string, summary: string][];
  return htmlPage({
    title: 'Stave',
    root: '',
    main: `      <h1>Stave</h1>
      <p>This is the partner API of a music licensing catalog. Partners get a token, browse and search
      licensed tracks and sound effects, and stream them through signed URLs.</p>
      <p>The explorer, which belongs here, is not built. Run <code>npm run build</code> in the checkout, and start
      Stave again.</p>
${track === undefined ? '' : player(track)}      <nav>
        <ul>
${links.map(([href, text, summary]) => `          <li><a href="${href}">${text}</a><span>${summary}</span></li>`).join('\n')}
        </ul>
      </nav>`,
  });
}

function player({ name, artist, artworkUrl, streamUrl }: WelcomeTrack): string {
  return `      <section class="track">
        <img src="${escaped(artworkUrl)}" alt="Artwork of ${escaped(name)}" width="144" height="144">
        <div>
          <p class="name">${escaped(name)}</p>
          <p>${escaped(artist)}</p>
          <audio controls preload="metadata" src="${escaped(streamUrl)}"></audio>
        </div>
      </section>
`;
}
