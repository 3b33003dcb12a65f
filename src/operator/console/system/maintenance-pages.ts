import { OperatorError } from '../../../common/operator-error.ts';
import type { Finding } from '../../doctor/finding.ts';
import { jobState } from '../imports/job-page.ts';
import type { Job } from '../jobs/jobs.ts';
import { duration, time } from '../pages/format.ts';
import { type Html, html } from '../pages/html.ts';
import { action, type ConsoleRoute, page } from '../pages/page.ts';
import { badge, button, card, field, form, heading, type Tone, table } from '../pages/parts.ts';
import type { ConsoleDependencies } from '../server/dependencies.ts';

const TONES: Readonly<Record<Finding['status'], Tone>> = {
  ok: 'good',
  warning: 'warn',
  failed: 'bad',
};

/** Backups, and the checks of `stave doctor`. */
export function maintenanceRoutes({ context, jobs }: ConsoleDependencies): ConsoleRoute[] {
  return [
    page('/doctor', ({ session }) => {
      const [job] = jobs.of('doctor');
      const isRunning = job !== undefined && job.endedAt === null;
      return {
        title: 'Doctor',
        main: html`${heading('Doctor', !isRunning && button(session, { to: '/doctor', name: 'Run the checks', kind: 'primary' }))}
<div id="job"${isRunning && html` data-refresh="2"`}>${job === undefined ? html`<p class="empty">The checks read the whole database and the names of all media. They change nothing.</p>` : findings(job)}</div>`,
      };
    }),
    action('/doctor', () => {
      jobs.start({ kind: 'doctor' }, { title: 'Doctor' });
      return { to: '/doctor' };
    }),
    page('/backups', ({ session }) => ({
      title: 'Backups',
      main: html`${heading('Backups')}${
        context.config.database === null
          ? card('Make a backup', backupForm(session))
          : html`<p>A catalog in PostgreSQL is backed up with its own tools: docs/operations.md says how.</p>`
      }${card('Backups of this console', backupTable(jobs.of('backup')))}`,
    })),
    action('/backups', ({ form: given }) => {
      const folder = given.get('folder')?.trim() ?? '';
      if (!folder.startsWith('/'))
        throw new OperatorError('give the absolute path of a new folder');
      const job = jobs.start({ kind: 'backup', folder }, { title: `Backup to ${folder}` });
      return { to: `/jobs/${job.id}` };
    }),
  ];
}

function findings({ endedAt, startedAt, result, failure }: Job): Html {
  if (endedAt === null)
    return html`<p role="status">The checks run.</p><progress aria-label="Progress"></progress>`;
  if (failure !== null) return html`<p>${badge('failed', 'bad')} ${failure}</p>`;
  return html`<p>Checked ${time(endedAt)} in ${duration((endedAt - startedAt) / 1_000)}.</p>${table(
    'Findings',
    ['Check', 'State', 'Finding', 'Advice'],
    (result as Finding[]).map(({ check, status, detail, advice }) => [
      check,
      badge(status, TONES[status]),
      html`<span class="wide">${detail}</span>`,
      html`<span class="wide">${advice}</span>`,
    ]),
  )}`;
}

function backupForm(session: Parameters<typeof form>[0]): Html {
  return form(
    session,
    '/backups',
    (given) =>
      html`${field('New folder on the server', html`<input name="folder" required autocomplete="off" value="${given.text('folder', null)}" placeholder="/backups/stave-2026-11-26">`, 'It holds keys and secrets afterwards: keep it as safe as the data folder.')}<button class="primary">Back up</button>`,
  );
}

function backupTable(made: readonly Job[]): Html {
  return table(
    'Backups',
    ['Started', 'What', 'State'],
    made.map((job) => [
      time(job.startedAt),
      html`<a href="/jobs/${job.id}">${job.title}</a>`,
      jobState(job),
    ]),
    'None since the service started.',
  );
}
