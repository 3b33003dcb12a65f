import { readFile } from 'node:fs/promises';
import { escaped } from '../../common/text/shown.ts';
import type { Route } from '../../engines/http/route/route.ts';
import {
  documentationRoute,
  fileRoute,
  kept,
  staticFileOf,
  staticFileResponse,
} from '../reference/files.ts';
import { languageHeaders, type PageLanguage, pageLanguage } from './page-languages.ts';
import de from './texts/de.json' with { type: 'json' };
import en from './texts/en.json' with { type: 'json' };
import es from './texts/es.json' with { type: 'json' };
import fr from './texts/fr.json' with { type: 'json' };

const SCRIPT = new URL('./sign-in.js', import.meta.url);

/** The texts of the page of sign-in links. */
const SIGN_IN_TEXTS: Readonly<Record<PageLanguage, typeof en>> = { en, de, fr, es };

/** Returns the page in a language. The script shows one part of it, and fills in the values in braces. */
function pageIn(language: PageLanguage): string {
  const text = (key: keyof typeof en) => escaped(SIGN_IN_TEXTS[language][key]);
  return `<!doctype html>
<html lang="${language}" dir="${text('direction')}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${text('title')} · Stave</title>
    <link rel="icon" href="favicon.ico">
    <link rel="stylesheet" href="docs/guides.css">
    <script type="module" src="sign-in.js"></script>
  </head>
  <body class="alone">
    <main>
      <h1>Stave</h1>
      <section id="opening"><p>${text('opening')}</p></section>
      <section id="ready" hidden>
        <p>${text('about')}</p>
        <p><button type="button">${text('signIn')}</button></p>
      </section>
      <section id="ended" role="alert" hidden>
        <p>${text('ended')} <a href=".">${text('goOn')}</a></p>
      </section>
      <section id="insecure" role="alert" hidden><p>${text('insecure')}</p></section>
      <section id="elsewhere" role="alert" hidden><p>${text('elsewhere')}</p></section>
      <div role="alert">
        <p id="unreachable" hidden>${text('unreachable')}</p>
        <p id="tooMany" hidden>${text('tooMany')}</p>
      </div>
      <p><button type="button" id="again" hidden>${text('again')}</button></p>
      <noscript><p>${text('needsScript')}</p></noscript>
    </main>
  </body>
</html>
`;
}

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** Returns the page to which sign-in links lead, and its script. It is the same for all links. */
export function signInRoutes(): Route[] {
  const page = kept((language: PageLanguage) => staticFileOf(pageIn(language)));
  return [
    documentationRoute('showSignIn', '/sign-in', 'The page of sign-in links', async (request) => {
      const language = pageLanguage(request.headers);
      return staticFileResponse(await page(language), request, {
        contentType: 'text/html; charset=utf-8',
        cacheControl: 'no-cache',
        headers: { ...HEADERS, ...languageHeaders(language) },
      });
    }),
    fileRoute('showSignInScript', '/sign-in.js', 'The script of the page of sign-in links', {
      contentType: 'text/javascript; charset=utf-8',
      make: async () => staticFileOf(await readFile(SCRIPT)),
    }),
  ];
}
