import { escaped } from '../../common/text/shown.ts';
import { SERVICE_VERSION } from '../../common/version.ts';

/**
 * Returns a page: the text of `main` between the head and foot that all pages share. Links are
 * relative to `root`, the path from the page to `/` ("" or "../"), so that the pages work behind a
 * proxy that serves Stave under a path.
 */
export function htmlPage({
  title,
  root,
  main,
}: {
  title: string;
  root: '' | '../';
  /** HTML. */
  main: string;
}): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <link rel="icon" href="${root}favicon.ico">
    <link rel="stylesheet" href="${root}docs/style.css">
  </head>
  <body>
    <main>
${main}
    </main>
    <footer><a href="${root || './'}">Stave</a> ${SERVICE_VERSION}</footer>
  </body>
</html>
`;
}

/** The style of all pages. It is a separate file, so that their policy can forbid inline styles. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --link: light-dark(#1e40af, #93b4ff); }
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 46rem;
  font: 1rem/1.6 system-ui, sans-serif;
  background: light-dark(#fdfdfc, #17181b); color: light-dark(#1c1d20, #e8e8e6);
}
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.3rem; margin: 2.25rem 0 .5rem; }
a { color: var(--link); }
code { font: .92em ui-monospace, monospace; }
pre { overflow-x: auto; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .5rem; line-height: 1.45; }
table { display: block; margin: 1rem 0 1.5rem; overflow-x: auto; border-collapse: collapse; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
nav ul { list-style: none; padding: 0; display: grid; gap: .75rem; }
nav a { font-weight: 600; }
nav span { display: block; }
.track { display: flex; flex-wrap: wrap; gap: 1.25rem; align-items: center; margin: 1.75rem 0; padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem; }
.track img { width: 9rem; height: 9rem; border-radius: .4rem; display: block; }
.track div { flex: 1 1 16rem; min-width: 0; }
.track p { margin: 0; }
.track .name { font-size: 1.2rem; font-weight: 600; }
.track audio { width: 100%; margin-top: .75rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
`;

/**
 * Returns the headers of a page, which limit what it may load. Audio and pictures come from the public
 * origin, and audio in a bucket comes from the address of the redirect.
 */
export function pageHeaders(publicOrigin: string): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      `img-src 'self' ${publicOrigin}`,
      'media-src *',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
  };
}
