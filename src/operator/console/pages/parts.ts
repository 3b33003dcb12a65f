import type { ClientNames, MissingRule } from '../../named.ts';
import { mayUse } from '../server/roles.ts';
import { type Html, type HtmlValue, html } from './html.ts';
import { hiddenFields } from './layout.ts';
import { type ComparedField, type FormSession, FormValues, type RefusedForm } from './page.ts';

export const PAGE_ROWS = 50;

/**
 * A table that scrolls within the page. Shows `empty` instead if there are no rows.
 *
 * @param columns their titles, between bars; `# ` before a title aligns numbers at their ends
 */
export function table(
  label: string,
  columns: string,
  rows: readonly (readonly HtmlValue[])[],
  empty = 'There is nothing here yet.',
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const titles = columns.split('|').map((column) => column.trim());
  const kind = (i: number) => titles[i]?.startsWith('# ') && html` class="number"`;
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${titles.map((title, i) => html`<th scope="col"${kind(i)}>${title === '' ? ACTIONS : title.replace('# ', '')}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, i) => html`<td${kind(i)}>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

const ACTIONS: Html = html`<span class="unseen">Actions</span>`;

/** Omits pairs without a value. */
export function facts(pairs: readonly (readonly [name: string, value: HtmlValue])[]): Html {
  const shown = pairs.filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return html`<dl class="facts">${shown.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

export function tile(name: string, value: HtmlValue, more: HtmlValue = null): Html {
  return html`<div class="tile"><h2>${name}</h2><p class="value">${value}</p>${
    more !== null && html`<p class="more">${more}</p>`
  }</div>`;
}

/** A long text of a table, such as a reason, without an end in "…". */
export function whole(text: HtmlValue): Html {
  return html`<span class="wide">${text}</span>`;
}

/**
 * A text that the operator copies, with a button if the script runs.
 *
 * @param what the name of the text, for the button
 */
export function copyable(text: string, what: string): Html {
  return html`<code>${text}</code> <button type="button" class="copy" data-copy>Copy<span class="unseen"> ${what}</span></button>`;
}

/** The tone of a badge. Its text says the same. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain';

export function badge(text: string, tone: Tone = 'plain'): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Links to the page of a client by its name, also if the client was deleted. */
export function clientLink(clientId: string, names: ClientNames): Html {
  return html`<a href="/clients/${clientId}">${names.label(clientId)}</a>`;
}

/** @param beside buttons or links */
export function heading(title: HtmlValue, beside: HtmlValue = null): Html {
  return html`<div class="heading"><h1>${title}</h1>${beside !== null && beside !== false && html`<div class="actions">${beside}</div>`}</div>`;
}

/** Empty without content, such as a form that the role of the operator does not allow. */
export function card(title: string, content: HtmlValue): Html {
  const shown = html`${content}`;
  return shown.toString() === ''
    ? shown
    : html`<section class="card"><h2>${title}</h2>${shown}</section>`;
}

/** Whether the role of the operator allows a form. */
export function maySend({ role }: FormSession, to: string): boolean {
  return mayUse(role, 'POST', to);
}

/** A link to a page that is a tool; nothing if the role of the operator does not allow it. */
export function linkButton({ role }: FormSession, to: string, name: string): Html | null {
  return mayUse(role, 'GET', to) ? html`<a class="button primary" href="${to}">${name}</a>` : null;
}

/** A card with a table, both of which have the title. */
export function tableCard(title: string, ...content: TableContent): Html {
  return card(title, table(title, ...content));
}

type TableContent = [columns: string, rows: readonly (readonly HtmlValue[])[], empty?: string];

/**
 * A form with the token of the session; nothing if the role of the operator does not allow it, unless `isShown` keeps its
 * values readable. Its content gets the values that the form had when it was refused; the reason
 * is then shown above them. Unless that was a conflict, it keeps the version from which these values were made.
 */
export function form(
  session: FormSession,
  to: string,
  content: (given: FormValues) => Html,
  {
    kind = 'stack',
    hasFiles = false,
    isShown = false,
  }: { kind?: 'stack' | 'inline'; hasFiles?: boolean; isShown?: boolean } = {},
): Html {
  if (!maySend(session, to)) {
    const shown = isShown && content(new FormValues(undefined));
    return shown === false
      ? html``
      : html`<div class="${kind}"><fieldset class="unusable" disabled>${shown}</fieldset></div>`;
  }
  const refused = session.refused?.to === to ? session.refused : undefined;
  const start = html`<form method="post" action="${to}" class="${kind}"${hasFiles && html` enctype="multipart/form-data"`}>`;
  const values = new FormValues(refused);
  const fields = content(values);
  if (refused === undefined) return html`${start}${hiddenFields(session)}${fields}</form>`;
  refused.isShown = true;
  const { conflict, problem } = refused;
  const kept = conflict === undefined ? (refused.fields.get('version') ?? '') : undefined;
  const reason = conflict === undefined ? problem : conflictText(refused);
  return html`${start}${hiddenFields(session, kept)}<p class="problem-text" role="alert" tabindex="-1" autofocus>${reason}</p>${conflict !== undefined && comparison(values.compared)}${fields}</form>`;
}

/** Says what the operator can do with a form that was refused because its page has changed. */
export function conflictText({ to, problem, conflict }: RefusedForm): Html {
  const { entity, entityId } = conflict?.changed ?? {};
  const log = new URLSearchParams({ entity: entity ?? '', id: entityId ?? '' });
  return html`${problem} This page shows what is stored now. Send the form again to save what you sent, or <a href="${to}">discard it</a>.${
    entity !== undefined && html` <a href="/log?${log.toString()}">Who changed it</a>`
  }`;
}

/** Shows which values of a form differ from the stored ones. A form that adds something has no stored values. */
function comparison(fields: readonly ComparedField[]): Html | false {
  if (fields.every(({ stored }) => stored === '')) return false;
  const shown = (value: string) => (value === '' ? '(empty)' : value);
  return table(
    'What differs',
    'What differs | Stored now | You sent',
    fields
      .filter(({ stored, sent }) => stored !== sent)
      .map(({ name, stored, sent }) => [labelOf(name), shown(stored), shown(sent)]),
    'The values that you sent are those that are stored now.',
  );
}

/** Lists the values of a refused form whose page no longer has the form. */
export function sentValues(fields: URLSearchParams): Html | false {
  const names = [...new Set(fields.keys())].filter((name) => !['csrf', 'version'].includes(name));
  const sent = names.map((name) => [labelOf(name), fields.getAll(name).join(', ')] as const);
  return sent.length > 0 && html`<p>You sent:</p>${facts(sent)}`;
}

/** Returns the name of a field for people: `Rate limit` for `rateLimit`. */
function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * A form of one button; nothing if the role of the operator does not allow it.
 *
 * @param confirms the question that the script asks first
 */
export function button(
  session: FormSession,
  { to, name, fields = {}, kind = 'plain', confirms }: ButtonOptions,
): Html {
  if (!maySend(session, to)) return html``;
  const hidden = Object.entries(fields).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`,
  );
  const question = confirms !== undefined && html` data-confirm="${confirms}"`;
  return html`<form method="post" action="${to}" class="inline"${question}>${hiddenFields(session)}${hidden}<button class="${kind}">${name}</button></form>`;
}

interface ButtonOptions {
  to: string;
  name: HtmlValue;
  fields?: Readonly<Record<string, string>>;
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  confirms?: string;
}

export function field(label: string, input: HtmlValue, hint: HtmlValue = null): Html {
  return html`<label class="field"><span>${label}</span>${input}${hint !== null && html`<small>${hint}</small>`}</label>`;
}

export function choices(
  legend: string,
  name: string,
  options: readonly string[],
  chosen: readonly string[],
): Html {
  return html`<fieldset class="choices"><legend>${legend}</legend>${options.map(
    (option) =>
      html`<label><input type="checkbox" name="${name}" value="${option}"${
        chosen.includes(option) && html` checked`
      }> ${option}</label>`,
  )}</fieldset>`;
}

/** A box to tick, whose value is `yes`. */
export function tick(given: FormValues, name: string, label: string): Html {
  const isTicked = given.all(name).includes('yes');
  return html`<label><input type="checkbox" name="${name}" value="yes"${isTicked && html` checked`}> ${label}</label>`;
}

/** A tick for `missingRuleOf`. */
export function allowMissing(given: FormValues, what: string): Html {
  return tick(given, 'allowMissing', `${what} may be missing`);
}

/** Returns the rule of a form with `allowMissing`. */
export function missingRuleOf(form: URLSearchParams): MissingRule {
  return { isAllowed: form.get('allowMissing') === 'yes', how: 'tick that it may be missing' };
}

export function select(
  name: string,
  options: readonly (string | readonly [value: string, label: string])[],
  chosen = '',
): Html {
  return html`<select name="${name}">${options.map((option) => {
    const [value, label] = typeof option === 'string' ? [option, option] : option;
    return html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
  })}</select>`;
}

/** A field that offers names while the operator writes. Without a choice, it takes any text. */
export function picker(
  name: string,
  options: readonly (readonly [value: string, label: string])[],
  { value, attributes = null }: { value: string | null; attributes?: HtmlValue },
): Html {
  return html`<input name="${name}" list="${name}-options" autocomplete="off" value="${value}" ${attributes}><datalist id="${name}-options">${options.map(
    ([one, label]) => html`<option value="${one}">${label}</option>`,
  )}</datalist>`;
}

/** A table of the grants of a client or a playlist, each with a button that revokes it, and a form for another grant. */
export function grantList(
  session: FormSession,
  { to, revokeTo, name, granted, others, empty }: Grants,
): Html {
  const label = labelOf(name);
  return html`${table(
    `Granted: ${name}s`,
    `${label} |`,
    granted.map((one) => [
      html`<a href="${one.to}">${one.name}</a>`,
      button(session, { to: revokeTo, name: 'Revoke', fields: { [name]: one.id } }),
    ]),
    empty,
  )}${
    others.length > 0 &&
    form(session, to, (given) => {
      const input = picker(name, others, {
        value: given.text(name, null),
        attributes: html`required`,
      });
      return html`${field(label, input, 'Write a part of its name, and choose it.')}<button>Grant</button>`;
    })
  }`;
}

interface Grants {
  to: string;
  revokeTo: string;
  /** The field of both forms. */
  name: 'client' | 'playlist';
  granted: readonly { id: string; name: string; to: string }[];
  /** What may be granted, as a picker takes it. */
  others: readonly (readonly [value: string, label: string])[];
  empty: string;
}

/** Links to the pages before and after. */
export function pager(
  path: string,
  query: URLSearchParams,
  at: Omit<ListPage<unknown>, 'rows'>,
): Html {
  const link = (page: number, name: string, rel: string) => {
    const next = new URLSearchParams(query);
    next.set('page', String(page));
    return html`<a href="${path}?${next.toString()}" rel="${rel}">${name}</a>`;
  };
  if (at.page === 1 && !at.hasMore) return html``;
  return html`<nav class="pager" aria-label="Pages">${at.page > 1 && link(at.page - 1, '← Previous', 'prev')}<span>Page ${at.page}</span>${at.hasMore && at.page < MAX_PAGE && link(at.page + 1, 'Next →', 'next')}</nav>`;
}

const MAX_PAGE = 2_000;

/** Returns the number of the page that a query names; 1 if that number is missing or out of range. */
export function pageOf(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? 1);
  return Number.isInteger(page) && page >= 1 && page <= MAX_PAGE ? page : 1;
}

export interface ListPage<T> {
  rows: readonly T[];
  page: number;
  hasMore: boolean;
}

/** Reads one row more than the page has, to know whether there are further pages. */
export async function readPage<T>(
  query: URLSearchParams,
  read: (limit: number, at: { offset: number }) => Promise<readonly T[]>,
): Promise<ListPage<T>> {
  const page = pageOf(query);
  const found = await read(PAGE_ROWS + 1, { offset: (page - 1) * PAGE_ROWS });
  return { rows: found.slice(0, PAGE_ROWS), page, hasMore: found.length > PAGE_ROWS };
}

/** Returns the page that a query names, of a list that is in memory. */
export function sliceOf<T>(all: readonly T[], query: URLSearchParams): ListPage<T> {
  const page = pageOf(query);
  const end = page * PAGE_ROWS;
  return { rows: all.slice(end - PAGE_ROWS, end), page, hasMore: all.length > end };
}
