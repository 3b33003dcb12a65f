import { readFile } from 'node:fs/promises';
import type { Route } from '../../engines/http/route/route.ts';
import { fileRoute, staticFileOf } from '../reference/files.ts';

const SCRIPT = new URL('./sign-in.js', import.meta.url);

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>Sign in · Stave</title>
    <link rel="icon" href="favicon.ico">
    <link rel="stylesheet" href="docs/guides.css">
    <script type="module" src="sign-in.js"></script>
  </head>
  <body class="alone">
    <main>
      <h1>Stave</h1>
      <section id="opening"><p>Opening the link …</p></section>
      <section id="ready" hidden>
        <p>Search, play and license the tracks of this catalog. The link works once.</p>
        <p><button type="button">Sign in</button></p>
        <p id="problem" role="alert" hidden>The service cannot be reached. Try again.</p>
      </section>
      <section id="ended" role="alert" hidden>
        <p>This link does not work, or no longer: each link works once, and for a limited time. Ask for a new one where
        you got it. <a href=".">If you are signed in already, go on.</a></p>
      </section>
      <section id="insecure" role="alert" hidden>
        <p>HTTPS is needed to sign in: browsers keep nobody signed in over plain HTTP. Ask whoever gave you the link for
        an address that begins with <code>https://</code>. The link is not used up.</p>
      </section>
      <section id="failed" role="alert" hidden>
        <p>The service cannot be reached, or is busy. Open the link again in a minute. It is not used up.</p>
      </section>
      <noscript><p>Signing in needs JavaScript.</p></noscript>
    </main>
  </body>
</html>
`;

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
  return [
    fileRoute('showSignIn', '/sign-in', 'The page of sign-in links', {
      contentType: 'text/html; charset=utf-8',
      make: () => staticFileOf(PAGE),
      headers: HEADERS,
    }),
    fileRoute('showSignInScript', '/sign-in.js', 'The script of the page of sign-in links', {
      contentType: 'text/javascript; charset=utf-8',
      make: async () => staticFileOf(await readFile(SCRIPT)),
    }),
  ];
}
