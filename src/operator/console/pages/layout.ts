import { readFileSync } from 'node:fs';
import { SERVICE_VERSION } from '../../../common/version.ts';
import { mayUse } from '../server/roles.ts';
import type { Notice, Session } from '../server/sessions.ts';
import { type Html, html, rawHtml } from './html.ts';
import type { FormSession, Page } from './page.ts';

/** The groups of links to all pages: their names by their paths. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Service: { '/': 'Overview', '/log': 'Change log', '/doctor': 'Doctor' },
  Catalog: {
    '/tracks': 'Tracks',
    '/catalog': 'Sources',
    '/playlists': 'Playlists',
    '/imports': 'Imports',
  },
  Partners: {
    '/clients': 'Clients',
    '/usage': 'Usage',
    '/statements': 'Statements',
    '/webhooks': 'Webhooks',
  },
  Licensing: { '/rate-cards': 'Rate cards', '/quotes': 'Quotes', '/licenses': 'Licenses' },
  System: { '/operators': 'Operators', '/keys': 'Keys', '/backups': 'Backups' },
};

const NOTICE_TITLES = { done: 'Done', problem: 'That did not work', secret: 'Shown once' } as const;

export function pageInLayout(
  { title, main }: Page,
  { path, session, notices }: { path: string; session: Session; notices: readonly Notice[] },
): string {
  return documentOf(
    title,
    html`<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
  <a class="brand" href="/">${LOGO} Stave</a>
  <details class="menu"><summary>Menu</summary>${SEARCH}${navigation(path, session)}${signedIn(session)}</details>
</header>
<header class="side">
  <a class="brand" href="/">${LOGO} Stave</a>
  ${SEARCH}
  ${navigation(path, session)}
  ${signedIn(session)}
  <p class="version">${SERVICE_VERSION}</p>
</header>
<main id="main" tabindex="-1">
${notices.map(noticeBox)}
${main}
</main>
<output class="unseen" id="said"></output>`,
  );
}

const SEARCH: Html = html`<form method="get" action="/search" role="search" aria-label="Everything"><input type="search" name="text" aria-label="Search everything" placeholder="Search everything" autocomplete="off"></form>`;

/** Says who is signed in. A proxy would sign the operator in again, so only it can end that. */
function signedIn(session: Session): Html {
  const { name, role, isOfProxy } = session;
  return html`<div class="signed-in"><p>${name} <span class="badge plain">${role}</span></p>${
    !isOfProxy &&
    html`<p><a href="/password">Change password</a></p><form method="post" action="/logout">${csrfField(session)}<button class="quiet">Log out</button></form>`
  }</div>`;
}

/** Returns a page without a session. */
export function barePage(title: string, main: Html): string {
  return documentOf(title, html`<main id="main" class="bare">${main}</main>`);
}

export function csrfField({ csrf }: Pick<Session, 'csrf'>): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}">`;
}

/**
 * The fields of a form that prove that it comes from a page of the session, and say which version that page showed.
 *
 * @param version of the values in the form, if the page shows newer ones
 */
export function hiddenFields(session: FormSession, version = String(session.version)): Html {
  return html`${csrfField(session)}<input type="hidden" name="version" value="${version}">`;
}

export const LOGO: Html = rawHtml(
  '<svg class="logo" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M1 4h18M1 8h18M1 12h18M1 16h18"/><circle cx="8" cy="12" r="3"/></svg>',
);

function documentOf(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Stave console</title>
<link rel="stylesheet" href="/assets/console.css">
<link rel="icon" href="/assets/icon.svg">
<script src="/assets/console.js" defer></script>
</head>
<body>
${body}
</body>
</html>
`.toString();
}

function navigation(path: string, { role }: Session): Html {
  const isHere = (to: string) => (to === '/' ? path === '/' : `${path}/`.startsWith(`${to}/`));
  const groups = Object.entries(SECTIONS).map(
    ([group, links]) =>
      [group, Object.entries(links).filter(([to]) => mayUse(role, 'GET', to))] as const,
  );
  return html`<nav aria-label="Sections">${groups
    .filter(([, links]) => links.length > 0)
    .map(
      ([group, links]) => html`<h2>${group}</h2>
<ul>${links.map(
        ([to, name]) =>
          html`<li><a href="${to}"${isHere(to) && html` aria-current="page"`}>${name}</a></li>`,
      )}</ul>`,
    )}</nav>`;
}

function noticeBox({ kind, content }: Notice): Html {
  const role = kind === 'problem' ? 'alert' : 'status';
  return html`<section class="notice ${kind}" role="${role}"><strong>${NOTICE_TITLES[kind]}</strong> ${
    typeof content === 'string' ? html`<p>${content}</p>` : content
  }</section>`;
}

export interface Asset {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** By path. */
export function readAssets(): ReadonlyMap<string, Asset> {
  const asset = (name: string, type: string): [string, Asset] => [
    `/assets/${name}`,
    {
      headers: { 'Cache-Control': 'no-cache', 'Content-Type': type },
      body: readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8'),
    },
  ];
  return new Map([
    asset('console.css', 'text/css; charset=utf-8'),
    asset('console.js', 'text/javascript; charset=utf-8'),
    asset('icon.svg', 'image/svg+xml'),
  ]);
}
