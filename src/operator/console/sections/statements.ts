import { asBuffer } from '../../../common/threads/calls.ts';
import { BELOW_REQUESTS, LITTLE_MEMORY, Thread } from '../../../common/threads/thread.ts';
import { pastClientIdOf } from '../../named.ts';
import { type Sheet, sheetCsv } from '../../statements/sheet.ts';
import {
  monthsOf,
  readStatement,
  readStatements,
  statementSheet,
} from '../../statements/statement.ts';
import type { Job } from '../jobs/jobs.ts';
import { type Html, html, number } from '../pages/html.ts';
import {
  action,
  type ConsoleRequest,
  type ConsoleRoute,
  type Download,
  page,
} from '../pages/page.ts';
import { badge, button, facts, field, heading, tableCard } from '../pages/parts.ts';

const CLIENT_PATH = '/clients/:id/statement';

export const STATEMENT_ROUTES: readonly ConsoleRoute[] = [
  page(CLIENT_PATH, async (request) => {
    const to = `/clients/${request.params.id}`;
    const sheet = await statementOf(request);
    const client = html`<a class="button" href="${to}">Client</a>`;
    return sheetPage(sheet, { request, to: `${to}/statement`, beside: client });
  }),
  ...downloads(CLIENT_PATH, statementOf),
  page('/statements', async (request) => {
    const sheet = await readStatements(request.context, monthsIn(request));
    return sheetPage(sheet, { request, to: '/statements' });
  }),
  ...downloads('/statements', (request) => readStatements(request.context, monthsIn(request))),
  page('/catalog', ({ session, jobs }) => {
    const [job] = jobs.of('catalog');
    const isRunning = job !== undefined && job.endedAt === null;
    const count = button(session, { to: '/catalog', name: 'Count the tracks', kind: 'primary' });
    return {
      title: 'Catalog by source',
      main: html`${heading('Catalog by source', !isRunning && count)}
<div id="job"${isRunning && html` data-refresh="2"`}>${job === undefined ? html`<p class="empty">The count reads all tracks: some seconds for a million of them.</p>` : counted(job)}</div>`,
    };
  }),
  action('/catalog', ({ jobs, context: { by } }) => {
    jobs.start({ kind: 'catalog' }, { title: 'Catalog by source', by });
    return { to: '/catalog' };
  }),
];

function counted({ endedAt, result, failure }: Job): Html {
  if (endedAt === null) {
    return html`<p role="status">The tracks are counted.</p><progress aria-label="Progress"></progress>`;
  }
  if (failure !== null) return html`<p>${badge('failed', 'bad')} ${failure}</p>`;
  return sheetCards(result as Sheet);
}

function monthsIn({ query, context }: ConsoleRequest) {
  const [from, to] = ['from', 'to'].map((name) => query.get(name)?.trim() || undefined);
  return monthsOf({ first: from ?? to, last: to }, context.clock.now());
}

async function statementOf(request: ConsoleRequest): Promise<Sheet> {
  const clientId = (await pastClientIdOf(request.context.store, request.params.id))!;
  return statementSheet(await readStatement(request.context, clientId, monthsIn(request)));
}

/** The files of a statement, beside its page. */
function downloads(
  path: string,
  sheetOf: (request: ConsoleRequest) => Promise<Sheet>,
): ConsoleRoute[] {
  const download = (form: 'csv' | 'pdf', type: string, bodyOf: (sheet: Sheet) => Body) =>
    page(`${path}.${form}`, async (request) => {
      const sheet = await sheetOf(request);
      const { first, last } = monthsIn(request);
      return { name: `${sheet.title} ${first} ${last}.${form}`, type, body: await bodyOf(sheet) };
    });
  return [
    download('csv', 'text/csv; charset=utf-8', sheetCsv),
    download('pdf', 'application/pdf', pdfOf),
  ];
}

type Body = Download['body'] | Promise<Download['body']>;

/** Makes the PDF in a thread, because requests of partners would wait for it. */
async function pdfOf(sheet: Sheet): Promise<Buffer> {
  const thread = new Thread<{ sheetPdf(sheet: Sheet): Uint8Array }>(
    new URL('../../statements/pdf-thread.ts', import.meta.url),
    { name: 'stave statement', resourceLimits: LITTLE_MEMORY, lowerBy: BELOW_REQUESTS },
  );
  try {
    return asBuffer(await thread.call('sheetPdf', sheet));
  } finally {
    await thread.terminate();
  }
}

/** @param options.to the path of the page */
function sheetPage(
  sheet: Sheet,
  { request, to, beside }: { request: ConsoleRequest; to: string; beside?: Html },
) {
  const asked = request.query.toString();
  const files = ['pdf', 'csv'].map(
    (form) => html`<a class="button" href="${to}.${form}?${asked}">${form.toUpperCase()}</a>`,
  );
  return {
    title: sheet.title,
    main: html`${heading(sheet.title, html`${beside}${files}`)}
${monthForm(to, request)}
${sheetCards(sheet, asked)}`,
  };
}

/** @param asked the query of the page, for links to the statements of clients */
function sheetCards({ facts: about, tables }: Sheet, asked = ''): Html {
  return html`${facts(about)}
${tables.map(({ title, columns, rows, clientIds, empty, note }) => {
  const shown = rows.map((row, i) => {
    const [first, ...others] = row.map((cell) => (typeof cell === 'number' ? number(cell) : cell));
    const clientId = clientIds?.[i];
    if (clientId === undefined) return [first, ...others];
    return [html`<a href="/clients/${clientId}/statement?${asked}">${first}</a>`, ...others];
  });
  return html`${tableCard(title, columns.join(' | '), shown, empty)}${note && html`<p>${note}</p>`}`;
})}`;
}

/** A form that asks for the months of a statement: by default those of the page, or the present one. */
export function monthForm(to: string, request: ConsoleRequest): Html {
  const { first, last } = monthsIn(request);
  const input = (name: string, month: string) =>
    html`<input type="month" name="${name}" value="${month}" placeholder="2026-11">`;
  return html`<form method="get" action="${to}" class="inline search">${field('From', input('from', first))}${field('To', input('to', last))}<button class="primary">Show</button></form>`;
}
