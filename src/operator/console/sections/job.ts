import { counted, shownBytes } from '../../../common/text/shown.ts';
import type { UndoSummary } from '../../../features/catalog/batches.ts';
import type { Explanation } from '../../../features/import/explain/explain.ts';
import type { Manifest } from '../../backup/manifest.ts';
import type { ImportResult } from '../../reports/reports.ts';
import type { Job } from '../jobs/jobs.ts';
import { duration, type Html, html, number, percent, time } from '../pages/html.ts';
import { type ConsoleRoute, page } from '../pages/page.ts';
import { badge, card, facts, heading, table } from '../pages/parts.ts';

/** The page of a job: its progress, and then its result. */
export const JOB_ROUTES: readonly ConsoleRoute[] = [
  page('/jobs/:id', ({ params, context, jobs }) => {
    const job = jobs.find(params.id!);
    const now = context.clock.now();
    return {
      title: job.title,
      main: html`${heading(job.title)}<div id="job"${job.endedAt === null && html` data-refresh="2"`}>${jobCards(job, now)}</div>`,
    };
  }),
];

export function jobState({ endedAt, failure, isDryRun, kind }: Job): Html {
  if (endedAt === null) return badge('running', 'warn');
  if (failure !== null) return badge('failed', 'bad');
  if (kind === 'explain') return badge('preview', 'good');
  return isDryRun ? badge('dry run', 'good') : badge('done', 'good');
}

function jobCards(job: Job, now: number): Html {
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
${job.rejectionCount > 0 && card(`Rejections (${number(job.rejectionCount)})`, rejections(job))}
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
      return backupResult(job.result as Manifest);
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
      ['Batch', batch && html`<code>${batch}</code>`],
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

function backupResult({ createdAt, counts, files, lostMedia, mediaPlace }: Manifest): Html {
  return card(
    'What was copied',
    facts([
      ['Moment', createdAt],
      ['Live tracks', number(counts.live)],
      ['Playlists', number(counts.playlists)],
      ['Clients', number(counts.clients)],
      ['Media files', number(counts.media)],
      ['Missing media', lostMedia.length > 0 ? badge(number(lostMedia.length), 'bad') : '0'],
      ['Size', shownBytes(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))],
      ['Media stay in', mediaPlace],
    ]),
  );
}

function rejections({ rejections: shown, rejectionCount }: Job): Html {
  return html`${table(
    'Rejections',
    'File | # Line | Field | Reason',
    shown.map(({ file, line, field, reason }) => [
      file.slice(file.lastIndexOf('/') + 1),
      line,
      html`<code>${field}</code>`,
      reason,
    ]),
  )}${rejectionCount > shown.length && html`<p>and ${number(rejectionCount - shown.length)} more. <code>stave import --rejects</code> writes all of them to a file.</p>`}`;
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
${card(
  'Rejected records',
  table(
    'Rejected records',
    'Field | Reason | # Records | # First line',
    rejected.map(({ field, reason, records: count, line }) => [field, reason, number(count), line]),
    'None of the records that were read.',
  ),
)}
${
  unread.length > 0 &&
  card(
    'Values of which a rule makes nothing',
    table(
      'Values of which a rule makes nothing',
      'Rule | Member | # Records | Example',
      unread.map(({ rule, member, records: count, example }) => [
        rule,
        member,
        number(count),
        shown(example),
      ]),
    ),
  )
}
${
  unused.length > 0 &&
  card(
    'Members that nothing uses',
    table(
      'Members that nothing uses',
      'Member | # Records | Example',
      unused.map(({ member, records: count, example }) => [member, number(count), shown(example)]),
    ),
  )
}
${notes.length > 0 && card('Notes', html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`)}`;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_EXAMPLE ? `${text.slice(0, MAX_EXAMPLE - 1).toWellFormed()}…` : text;
}
