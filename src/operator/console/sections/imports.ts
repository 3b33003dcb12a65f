import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UPLOADS_FOLDER } from '../../../app/open/data-folder.ts';
import { OperatorError } from '../../../common/errors.ts';
import { explain } from '../../../common/text/explain.ts';
import { TRACK_TYPES } from '../../../features/catalog/track-fields.ts';
import type { ImportForm } from '../jobs/jobs.ts';
import { html, number, time } from '../pages/html.ts';
import {
  action,
  type ConsoleDependencies,
  type ConsoleRequest,
  type ConsoleRoute,
  type FormSession,
  page,
} from '../pages/page.ts';
import { badge, button, card, field, form, heading, select, table, tick } from '../pages/parts.ts';
import { readUpload } from '../server/upload.ts';
import { jobState } from './job.ts';

/** The greatest size of an uploaded catalog. Larger ones are imported by their path. */
const MAX_UPLOAD_BYTES = 2 * 1024 ** 3;
/** The imports that are listed. */
const SHOWN_BATCHES = 100;

/** The list of imports, and the form of a new one. */
export const IMPORT_ROUTES: readonly ConsoleRoute[] = [
  page('/imports', async ({ session, context, jobs }) => {
    const batches = await context.store.batches.latest(SHOWN_BATCHES);
    const running = jobs.of('import', 'explain', 'undo');
    return {
      title: 'Imports',
      main: html`${heading('Imports', html`<a class="button primary" href="/imports/new">New import</a>`)}
${running.length > 0 && card('Runs of this console', jobTable(running))}
${card(
  'Imports that changed something',
  table(
    'Imports',
    'When | By | # Created | # Updated | # Withdrawn | # Restored | What |',
    batches.map(
      ({ id, at, by, label, created, updated, withdrawn, restored, undoes, undoneBy }) => [
        time(at),
        by,
        ...[created, updated, withdrawn, restored].map(number),
        label,
        undoneBy !== null ? badge('undone') : undoes === null && undoButtons(session, id),
      ],
    ),
    'No import has changed anything yet.',
  ),
)}`,
    };
  }),
  page('/imports/new', ({ session }) => ({ title: 'New import', main: newImport(session) })),
  action('/imports/new', (request) => startImport(request), { isUpload: true }),
  action('/imports/undo', ({ form: sent, jobs }) => {
    const batch = sent.get('batch') ?? '';
    const isDryRun = sent.get('dryRun') === 'yes';
    const title = `Undo of import ${batch}`;
    const job = jobs.start({ kind: 'undo', batch, dryRun: isDryRun }, { title, isDryRun });
    return { to: `/jobs/${job.id}` };
  }),
];

async function startImport(request: ConsoleRequest) {
  const { context, jobs } = request;
  jobs.check();
  const folder = join(context.config.dataFolder, UPLOADS_FOLDER);
  const upload = await readUpload(request, { folder, maxBytes: MAX_UPLOAD_BYTES });
  try {
    const { files } = upload;
    const fields = request.form;
    const path = files.get('file') ?? fields.get('path')?.trim() ?? '';
    const folder = files.has('file') ? dirname(path) : await folderOf(path);
    const options = optionsOf(fields, { path, folder, map: files.get('map') });
    const title = files.has('file') ? path.slice(path.lastIndexOf('/') + 1) : path;
    const whenEnded = upload.remove;
    const kind = fields.get('what');
    const job =
      kind === 'explain'
        ? jobs.start({ kind, options: { path, ...explainOptions(options) } }, { title, whenEnded })
        : jobs.start(
            { kind: 'import', form: { ...options, dryRun: kind !== 'import' } },
            { title, isDryRun: kind !== 'import', whenEnded },
          );
    return { to: `/jobs/${job.id}` };
  } catch (error) {
    await upload.remove();
    throw error;
  }
}

/**
 * Returns the folder of a file, or the folder itself. Throws OperatorError unless this is the absolute path of one of them:
 * a pipe could keep a job waiting for ever.
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

function explainOptions({ source, mapFile, mapFolder, type }: ImportForm) {
  return { source, mapFile, mapFolder, type };
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
${field('Or a path on the server', html`<input name="path" value="${given.text('path', null)}" autocomplete="off" placeholder="/srv/deliveries/label-a">`, 'A file, or a folder of tagged audio or of DDEX releases.')}
${field('Source', html`<input name="source" value="${given.text('source', null)}" autocomplete="off" maxlength="200">`, 'By default the name of the mapping.')}
${field('Mapping file', html`<input type="file" name="map">`, 'JSON; empty for one that Stave recognizes.')}
${field('Or the name of a mapping', html`<input name="mapName" value="${given.text('mapName', null)}" autocomplete="off">`, 'One of Stave, or a JSON file in the folder of the path above.')}
${field('Type of tracks without one', select('type', [['', 'as the record says'], ...TRACK_TYPES.map((type) => [type, type] as const)], given.text('type', '')))}
${tick(given, 'strict', 'Import nothing if a record is rejected')}
${tick(given, 'prune', 'Withdraw tracks of the source that this full delivery does not list')}
<div class="actions"><button class="primary" name="what" value="explain">Preview</button><button name="what" value="check">Dry run</button><button name="what" value="import">Import</button></div>
<p class="empty">Preview shows how the file is read, with its first tracks. Dry run reports what the import would do. Both change nothing.</p>`,
      { hasFiles: true },
    ),
  )}`;
}
