import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UPLOADS_FOLDER } from '../../../app/open/data-folder.ts';
import { OperatorError, StaveError } from '../../../common/errors.ts';
import { explain } from '../../../common/text/explain.ts';
import { counted, shownBytes } from '../../../common/text/shown.ts';
import { reaches } from '../../../features/access/operator.ts';
import type { UndoSummary } from '../../../features/catalog/batches.ts';
import { TRACK_TYPES } from '../../../features/catalog/track-values.ts';
import type { Explanation } from '../../../features/import/explain/explain.ts';
import { kindOf } from '../../../features/import/item.ts';
import type { Taken } from '../../backup/take-backup.ts';
import type { ImportResult } from '../../import-tracks.ts';
import type { ImportForm, Job } from '../jobs/jobs.ts';
import { duration, type Html, html, number, percent, time } from '../pages/html.ts';
import {
  action,
  type ConsoleDependencies,
  type ConsoleRequest,
  type ConsoleRoute,
  type FormSession,
  page,
  RoleRefused,
} from '../pages/page.ts';
import {
  badge,
  button,
  card,
  copyable,
  facts,
  field,
  form,
  heading,
  linkButton,
  pager,
  select,
  sliceOf,
  table,
  tableCard,
  tick,
  whole,
} from '../pages/parts.ts';
import { mayUse } from '../server/roles.ts';
import { readUpload } from '../server/upload.ts';

/** Larger catalogs are imported by their path. */
const MAX_UPLOAD_BYTES = 2 * 1024 ** 3;
/** The latest imports that changed something. `stave import list` shows older ones. */
export const SHOWN_BATCHES = 1_000;

export const IMPORT_ROUTES: readonly ConsoleRoute[] = [
  page('/imports', async ({ query, session, context, jobs }) => {
    const latest = await context.store.batches.latest(SHOWN_BATCHES);
    const one = query.get('batch');
    const shown = sliceOf(one === null ? latest : latest.filter(({ id }) => id === one), query);
    const running = jobs.of('import', 'explain', 'undo');
    return {
      title: 'Imports',
      main: html`${heading('Imports', linkButton(session, '/imports/new', 'New import'))}
${running.length > 0 && card('Runs of this console', jobTable(running))}
${card(
  'Imports that changed something',
  table(
    'Imports',
    'When | What | # Created | # Updated | # Withdrawn | # Restored | By |',
    shown.rows.map(
      ({ id, at, by, label, created, updated, withdrawn, restored, undoes, undoneBy, expired }) => [
        time(at),
        whole(label),
        ...[created, updated, withdrawn, restored].map(number),
        by,
        undoneBy !== null
          ? badge('undone')
          : undoes === null && !expired && undoButtons(session, id),
      ],
    ),
    one === null ? 'No import has changed anything yet.' : 'There is no such import.',
  ),
)}${pager('/imports', query, shown)}`,
    };
  }),
  page('/imports/new', ({ session }) => ({ title: 'New import', main: newImport(session) })),
  action('/imports/new', startImport, { isUpload: true }),
  action('/imports/undo', ({ form: sent, jobs, context: { by } }) => {
    const batch = sent.get('batch') ?? '';
    const isDryRun = sent.get('dryRun') === 'yes';
    const title = `Undo of import ${batch}`;
    const job = jobs.start({ kind: 'undo', batch, dryRun: isDryRun }, { title, by, isDryRun });
    return { to: `/jobs/${job.id}` };
  }),
];

/** Whether somebody may import what the service can read on its machine. */
function mayImportPaths({ role }: FormSession): boolean {
  return reaches(role, 'owner');
}

async function startImport(request: ConsoleRequest) {
  const { context, jobs, session } = request;
  jobs.check();
  const folder = join(context.config.dataFolder, UPLOADS_FOLDER);
  const upload = await readUpload(request, { folder, maxBytes: MAX_UPLOAD_BYTES });
  try {
    const { files } = upload;
    const { by } = context;
    const fields = request.form;
    if (!files.has('file') && !mayImportPaths(session))
      throw new RoleRefused(session.role, 'owner');
    const path = files.get('file') ?? fields.get('path')?.trim() ?? '';
    const folder = files.has('file') ? dirname(path) : await folderOf(path);
    const options = optionsOf(fields, { path, folder, map: files.get('map') });
    const { source, mapFile, mapFolder, type } = options;
    const title = files.has('file') ? path.slice(path.lastIndexOf('/') + 1) : path;
    const whenEnded = upload.remove;
    const kind = fields.get('what');
    const job =
      kind === 'explain'
        ? jobs.start(
            { kind, options: { path, source, mapFile, mapFolder, type } },
            { title, by, whenEnded },
          )
        : jobs.start(
            { kind: 'import', form: { ...options, dryRun: kind !== 'import' } },
            { title, by, isDryRun: kind !== 'import', whenEnded },
          );
    return { to: `/jobs/${job.id}` };
  } catch (error) {
    await upload.remove();
    throw error;
  }
}

/**
 * Returns the folder of a file, or the folder itself. Throws OperatorError unless `path` is the absolute path of a file or a
 * folder: a pipe could keep a job waiting for ever.
 */
async function folderOf(path: string): Promise<string> {
  if (!path.startsWith('/')) {
    throw new OperatorError('choose a file, or give the absolute path of a file or folder');
  }
  const found = await stat(path).catch((error: unknown) => {
    throw new OperatorError(explain(error), { cause: error });
  });
  if (!found.isFile() && !found.isDirectory()) {
    throw new OperatorError(`${path} is neither a file nor a folder`);
  }
  return found.isFile() ? dirname(path) : path;
}

/** @param given.map the path of an uploaded mapping */
function optionsOf(
  fields: URLSearchParams,
  { path, folder, map }: { path: string; folder: string; map: string | undefined },
): ImportForm {
  const text = (name: string) => fields.get(name)?.trim() || undefined;
  return {
    paths: [path],
    source: text('source'),
    mapFile: map ?? text('mapName'),
    mapFolder: map === undefined ? folder : dirname(map),
    type: TRACK_TYPES.find((type) => type === fields.get('type')),
    strict: fields.get('strict') === 'yes',
    prune: fields.get('prune') === 'yes',
  };
}

function undoButtons(session: FormSession, batch: string) {
  const to = '/imports/undo';
  return html`${button(session, { to, name: 'Check undo', fields: { batch, dryRun: 'yes' } })}${button(
    session,
    {
      ...{ to, name: 'Undo', fields: { batch }, kind: 'danger' },
      confirms:
        'Take back what this import did? Tracks that another import changed since stay as they are.',
    },
  )}`;
}

function jobTable(running: ReturnType<ConsoleDependencies['jobs']['of']>) {
  return table(
    'Runs',
    'Started | What | State | # Rejected',
    running.map((job) => [
      time(job.startedAt),
      html`<a href="/jobs/${job.id}">${job.title}</a>`,
      jobState(job),
      number(job.rejectionCount),
    ]),
  );
}

function newImport(session: FormSession) {
  return html`${heading('New import')}${card(
    'What to import',
    form(
      session,
      '/imports/new',
      (
        given,
      ) => html`${field('File', html`<input type="file" name="file">`, 'NDJSON, JSON, CSV, .gz of each, .xlsx or an XML message of DDEX ERN, of up to 2 GB.')}
${mayImportPaths(session) && field('Or a path on the server', html`<input name="path" value="${given.text('path', null)}" autocomplete="off" placeholder="/srv/deliveries/label-a">`, 'A file, or a folder of tagged audio or of DDEX releases.')}
${field('Source', html`<input name="source" value="${given.text('source', null)}" autocomplete="off" maxlength="200">`, 'By default the name of the mapping.')}
${field('Mapping file', html`<input type="file" name="map">`, 'JSON; empty for one that Stave recognizes.')}
${field('Or the name of a mapping', html`<input name="mapName" value="${given.text('mapName', null)}" autocomplete="off">`, mayImportPaths(session) ? 'One of Stave, or a JSON file in the folder of the path above.' : 'One of Stave.')}
${field('Type of tracks without one', select('type', [['', 'as the record says'], ...TRACK_TYPES], given.text('type', '')))}
${tick(given, 'strict', 'Import nothing if a record is rejected')}
${tick(given, 'prune', 'Withdraw tracks of the source that this full delivery does not list')}
<div class="actions"><button class="primary" name="what" value="explain">Preview</button><button name="what" value="check">Dry run</button><button name="what" value="import">Import</button></div>
<p class="empty">Preview shows how the file is read, with its first tracks. Dry run reports what the import would do. Both change nothing.</p>`,
      { hasFiles: true },
    ),
  )}`;
}

export const JOB_ROUTES: readonly ConsoleRoute[] = [
  page('/jobs/:id', ({ params, query, context, jobs, session }) => {
    const job = jobs.find(params.id!);
    if (job.kind === 'backup' && !mayUse(session.role, 'GET', '/backups')) {
      throw new RoleRefused(session.role, 'owner');
    }
    const now = context.clock.now();
    return {
      title: job.title,
      main: html`${heading(job.title)}<div id="job"${job.endedAt === null && html` data-refresh="2"`}>${jobCards(job, query, now)}</div>`,
    };
  }),
  page('/jobs/:id/rejections.csv', async ({ params, jobs }) => {
    const { title, rejectionFile } = jobs.find(params.id!);
    const file = await open(rejectionFile).catch(() => {
      throw new StaveError('not_found', 'The job has no file of rejections.');
    });
    return {
      name: `rejections of ${title.slice(title.lastIndexOf('/') + 1)}.csv`,
      type: 'text/csv; charset=utf-8',
      body: file.createReadStream(),
    };
  }),
];

export function jobState({ endedAt, failure, isDryRun, kind }: Job): Html {
  if (endedAt === null) return badge('running', 'warn');
  if (failure !== null) return badge('failed', 'bad');
  if (kind === 'explain') return badge('preview', 'good');
  return isDryRun ? badge('dry run', 'good') : badge('done', 'good');
}

function jobCards(job: Job, query: URLSearchParams, now: number): Html {
  const { progress } = job;
  return html`${facts([
    ['State', jobState(job)],
    ['Started', time(job.startedAt)],
    ['Duration', duration(((job.endedAt ?? now) - job.startedAt) / 1_000)],
    ['Records', progress && number(progress.records)],
    ['File', progress?.file],
  ])}
${job.endedAt === null && progressBar(job)}
${job.failure !== null && html`<section class="notice problem" role="alert"><strong>Failed</strong><p>${job.failure}</p></section>`}
${job.result !== null && resultCards(job)}
${job.rejectionCount > 0 && card(`Rejections (${number(job.rejectionCount)})`, rejections(job, query))}
${job.notes.length > 0 && card('Notes', html`<ul>${job.notes.map((note) => html`<li>${note}</li>`)}</ul>`)}`;
}

function progressBar({ progress }: Job): Html {
  if (progress === null || progress.bytesTotal === 0) {
    return html`<p role="status">It runs. This page refreshes itself; without the script, load it again.</p><progress aria-label="Progress"></progress>`;
  }
  const { bytesRead, bytesTotal } = progress;
  return html`<p role="status">${percent(bytesRead, bytesTotal)} of ${shownBytes(bytesTotal)}</p><progress aria-label="Progress" max="${bytesTotal}" value="${bytesRead}"></progress>`;
}

function resultCards(job: Job): Html {
  switch (job.kind) {
    case 'import':
      return importResult(job.result as ImportResult, job.isDryRun);
    case 'explain':
      return explanationCards(job.result as Explanation);
    case 'undo':
      return undoResult(job.result as UndoSummary, job.isDryRun);
    case 'backup':
      return backupResult(job.result as Taken);
    default:
      return html``;
  }
}

function importResult({ summary, batch, wasPruneRefused }: ImportResult, isDryRun: boolean): Html {
  const { read, created, updated, unchanged, rejected, withdrawn, stayDown } = summary;
  return card(
    isDryRun ? 'What the import would do' : 'What the import did',
    html`${facts([
      ['Read', number(read)],
      ['Created', number(created)],
      ['Updated', number(updated)],
      ['Unchanged', number(unchanged)],
      ['Rejected', rejected > 0 ? badge(number(rejected), 'warn') : '0'],
      ['Withdrawn', withdrawn === undefined ? null : number(withdrawn)],
      ['Stay down', stayDown === undefined ? null : number(stayDown)],
      ['Batch', batch && copyable(batch, 'batch')],
    ])}${wasPruneRefused && html`<p>${badge('nothing was withdrawn', 'bad')} The notes say why.</p>`}`,
  );
}

function undoResult(
  { withdrawn, updated, restored, skipped }: UndoSummary,
  isDryRun: boolean,
): Html {
  return card(
    isDryRun ? 'What the undo would do' : 'What the undo did',
    facts([
      ['Withdrawn', number(withdrawn)],
      ['As before', number(updated)],
      ['Live again', number(restored)],
      ['Left as they are', number(skipped)],
    ]),
  );
}

function backupResult({ manifest, copied }: Taken): Html {
  const { createdAt, counts, lostMedia, mediaPlace, database, mediaBytes } = manifest;
  return card(
    'What was copied',
    facts([
      ['Moment', createdAt],
      ['Live tracks', number(counts.live)],
      ['Playlists', number(counts.playlists)],
      ['Clients', number(counts.clients)],
      ['Media files', number(counts.media)],
      ['New media files', number(copied.copied)],
      ['Missing media', lostMedia.length > 0 ? badge(number(lostMedia.length), 'bad') : '0'],
      ['Size', shownBytes(database.sizeBytes + mediaBytes)],
      ['Media stay in', mediaPlace],
    ]),
  );
}

/** Shows a page of the rejections, or of those of one kind. */
function rejections(job: Job, query: URLSearchParams): Html {
  const { rejections: kept, rejectionKinds, rejectionCount, endedAt } = job;
  const to = `/jobs/${job.id}`;
  const reason = query.get('reason') ?? '';
  const count = rejectionKinds.get(reason) ?? rejectionCount;
  const wanted = rejectionKinds.has(reason) ? kept.filter((one) => kindOf(one) === reason) : kept;
  const kinds = [...rejectionKinds].map(([kind, of]) => [kind, `${kind} (${number(of)})`] as const);
  const shown = sliceOf(wanted, query);
  return html`<form method="get" action="${to}" class="inline search">${field('Reason', select('reason', [['', 'any'], ...kinds], reason))}<button>Show</button>${
    endedAt !== null &&
    html`<a class="button" href="${to}/rejections.csv" download>Download all (CSV)</a>`
  }</form>${table(
    'Rejections',
    'File | # Line | Field | Reason',
    shown.rows.map(({ file, line, field: name, reason: why }) => [
      file.slice(file.lastIndexOf('/') + 1),
      line,
      html`<code>${name}</code>`,
      whole(why),
    ]),
  )}${pager(to, query, shown)}${wanted.length < count && html`<p>These are the first ${number(wanted.length)} of ${number(count)}. The file of the download has all.</p>`}`;
}

const MAX_EXAMPLE = 200;

/** Shows how an import reads a file, as `stave import --explain` does. */
function explanationCards(explanation: Explanation): Html {
  const {
    path,
    facts: recognized,
    records,
    isWhole,
    first,
    rejected,
    unused,
    unread,
    notes,
  } = explanation;
  return html`${card(
    `How ${path.slice(path.lastIndexOf('/') + 1)} is read`,
    html`${facts(recognized.map(({ what, is }) => [what, is]))}<p>${isWhole ? `All ${counted(records, 'record')} were read.` : `The first ${counted(records, 'record')} were read; the counts are those of them.`}</p>`,
  )}
${card(
  'The first tracks that an import would store',
  html`${first.map(
    ({ file, line, track, rejection }) =>
      html`<details${first.length === 1 && html` open`}><summary>${line === null ? file : `Record ${line}`} ${rejection === null ? shown((track as { name?: unknown }).name) : badge('rejected', 'bad')}</summary>${
        rejection === null
          ? facts(Object.entries(track!).map(([name, value]) => [name, shown(value)]))
          : html`<p>${rejection.field} ${rejection.reason}</p>`
      }</details>`,
  )}`,
)}
${tableCard(
  'Rejected records',
  'Field | Reason | # Records | # First line',
  rejected.map(({ field: name, reason, records: count, line }) => [
    ...[name, whole(reason), number(count), line],
  ]),
  'None of the records that were read.',
)}
${
  unread.length > 0 &&
  tableCard(
    'Values of which a rule makes nothing',
    'Rule | Member | # Records | Example',
    unread.map(({ rule, member, records: count, example }) => [
      rule,
      member,
      number(count),
      shown(example),
    ]),
  )
}
${
  unused.length > 0 &&
  tableCard(
    'Members that nothing uses',
    'Member | # Records | Example',
    unused.map(({ member, records: count, example }) => [member, number(count), shown(example)]),
  )
}
${notes.length > 0 && card('Notes', html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`)}`;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_EXAMPLE ? `${text.slice(0, MAX_EXAMPLE - 1).toWellFormed()}…` : text;
}
