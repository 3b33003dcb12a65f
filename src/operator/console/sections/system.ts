import type { BackupSchedule } from '../../../app/config/backup-schedule.ts';
import {
  type BackupFailure,
  failureSince,
  type LastBackup,
  lastBackup,
} from '../../../app/last-backup.ts';
import type { AppContext } from '../../../app/open/context.ts';
import { OperatorError } from '../../../common/errors.ts';
import { silentLog } from '../../../common/log.ts';
import { explain } from '../../../common/text/explain.ts';
import { counted, shownBytes } from '../../../common/text/shown.ts';
import { CHANGE_KINDS, type ChangeEntity } from '../../../engines/change-log/change-log.ts';
import { rotateKeys } from '../../../features/access/key-ring.ts';
import { listKeys, rotateLicenseKeys } from '../../../features/licensing/license-keys.ts';
import { sizeOf, tracksOf } from '../../backup/manifest.ts';
import { mediaPlaceAt } from '../../backup/place.ts';
import { openExisting, readBackups } from '../../backup/repository.ts';
import type { Finding } from '../../doctor/finding.ts';
import { actorForPeople, latestChanges, type NamedChange } from '../../reports.ts';
import type { Job } from '../jobs/jobs.ts';
import { duration, type Html, html, time } from '../pages/html.ts';
import { action, type ConsoleRoute, done, type FormSession, page } from '../pages/page.ts';
import {
  badge,
  button,
  card,
  field,
  form,
  heading,
  PAGE_ROWS,
  select,
  type Tone,
  table,
  whole,
} from '../pages/parts.ts';
import { jobState } from './imports.ts';

const TONES: Readonly<Record<Finding['status'], Tone>> = {
  ok: 'good',
  warning: 'warn',
  failed: 'bad',
};

export const MAINTENANCE_ROUTES: readonly ConsoleRoute[] = [
  page('/doctor', ({ session, jobs }) => {
    const [job] = jobs.of('doctor');
    const isRunning = job !== undefined && job.endedAt === null;
    return {
      title: 'Doctor',
      main: html`${heading('Doctor', !isRunning && button(session, { to: '/doctor', name: 'Run the checks', kind: 'primary' }))}
<div id="job"${isRunning && html` data-refresh="2"`}>${job === undefined ? html`<p class="empty">The checks read the whole database and the names of all media. They change nothing.</p>` : findings(job)}</div>`,
    };
  }),
  action('/doctor', ({ jobs, context: { by } }) => {
    jobs.start({ kind: 'doctor' }, { title: 'Doctor', by });
    return { to: '/doctor' };
  }),
  page('/backups', async ({ session, context, jobs }) => {
    const schedule = context.config.backupSchedule;
    const last = await lastBackup(context.store);
    const place = schedule?.place ?? last?.place;
    return {
      title: 'Backups',
      main: html`${heading('Backups')}<p>${lastBackupLine(last)}</p>${failureLine(await failureSince(context.store, last))}${card('Make a backup', backupForm(session, schedule))}${place !== undefined && card(`Backups in ${place}`, await listedBackups(context, place))}${card('Backups of this console', backupTable(jobs.of('backup')))}`,
    };
  }),
  action('/backups', ({ form: given, jobs, context: { by } }) => {
    const folder = given.get('folder')?.trim() ?? '';
    if (!/^(?:\/|s3:\/\/.)/.test(folder)) {
      throw new OperatorError('give the absolute path of a folder, or s3://bucket/prefix');
    }
    const title = `Backup to ${folder}`;
    const job = jobs.start({ kind: 'backup', place: folder }, { title, by });
    return { to: `/jobs/${job.id}` };
  }),
];

function findings({ endedAt, startedAt, result, failure }: Job): Html {
  if (endedAt === null)
    return html`<p role="status">The checks run.</p><progress aria-label="Progress"></progress>`;
  if (failure !== null) return html`<p>${badge('failed', 'bad')} ${failure}</p>`;
  return html`<p>Checked ${time(endedAt)} in ${duration((endedAt - startedAt) / 1_000)}.</p>${table(
    'Findings',
    'Check | State | Finding | Advice',
    (result as Finding[]).map(({ check, status, detail, advice }) => [
      check,
      badge(status, TONES[status]),
      whole(detail),
      whole(advice),
    ]),
  )}`;
}

function lastBackupLine(last: LastBackup | undefined): Html {
  return last === undefined
    ? html`<code>stave backup</code> has made no backup of this catalog yet.`
    : html`The last backup is of ${time(last.at)}, in <code>${last.place}</code>.`;
}

function failureLine(failure: BackupFailure | undefined): Html | undefined {
  return (
    failure &&
    html`<p>${badge('failed', 'bad')} The backup of STAVE_BACKUP_SCHEDULE failed at ${time(failure.at)}: ${failure.reason || 'its process was ended'}</p>`
  );
}

/** Shows what `stave backup list` shows, or why it cannot be read. */
async function listedBackups({ clock }: AppContext, place: string): Promise<Html> {
  try {
    const at = mediaPlaceAt('the place', place);
    const { backups, unreadable } = await readBackups(
      await openExisting(at, { clock, log: silentLog }),
    );
    const damaged = counted(unreadable.length, 'backup');
    return html`${unreadable.length > 0 && html`<p>${badge('damaged', 'bad')} ${damaged} cannot be read: see <code>stave backup verify</code>.</p>`}<p>${counted(backups.length, 'backup')}.</p>${table(
      `Backups in ${place}`,
      'Backup | # Tracks | # Clients | # Media | # Size | # Lost media',
      backups
        .slice(0, PAGE_ROWS)
        .map(({ manifest, at: madeAt }) => [
          time(madeAt),
          tracksOf(manifest),
          manifest.counts.clients,
          manifest.counts.media,
          shownBytes(sizeOf(manifest)),
          manifest.lostMedia.length,
        ]),
    )}`;
  } catch (error) {
    return html`<p>They cannot be listed: ${explain(error)}</p>`;
  }
}

function backupForm(session: FormSession, schedule: BackupSchedule | null): Html {
  return form(
    session,
    '/backups',
    (given) =>
      html`${field('Folder on the server, or s3://bucket/prefix', html`<input name="folder" required autocomplete="off" value="${given.text('folder', schedule?.place ?? null)}" placeholder="/var/backups/stave">`, 'It is new, or has earlier backups of this catalog. It holds keys and secrets afterwards: keep it as safe as the data folder.')}<button class="primary">Back up</button>`,
  );
}

function backupTable(made: readonly Job[]): Html {
  return table(
    'Backups',
    'Started | What | State',
    made.map((job) => [
      time(job.startedAt),
      html`<a href="/jobs/${job.id}">${job.title}</a>`,
      jobState(job),
    ]),
    'None since the service started.',
  );
}

export const KEY_ROUTES: readonly ConsoleRoute[] = [
  page('/keys', async ({ session, context: { store } }) => ({
    title: 'Keys',
    main: html`${heading(
      'Keys',
      html`${button(session, {
        ...{ to: '/keys/rotate', name: 'Replace keys of tokens and URLs' },
        confirms: 'Replace these keys? Issued tokens and URLs stay valid until they expire.',
      })}${button(session, {
        ...{ to: '/keys/rotate-licenses', name: 'Replace keys of certificates' },
        confirms: 'Replace these keys? Issued certificates stay valid.',
      })}`,
    )}${table(
      'Keys',
      'Key | Signs | Created | State',
      (await listKeys(store)).map(({ id, purpose, createdAt, retiredAt }) => [
        html`<code>${id}</code>`,
        purpose,
        time(createdAt),
        retiredAt === null ? badge('signs', 'good') : html`${badge('replaced')} ${time(retiredAt)}`,
      ]),
    )}`,
  })),
  action('/keys/rotate', async ({ context: { store, clock, by } }) => {
    await rotateKeys({ keys: store.keys, clock }, by);
    return done('/keys', 'New keys sign tokens and URLs from now on.');
  }),
  action('/keys/rotate-licenses', async ({ context: { store, clock, by } }) => {
    await rotateLicenseKeys({ keys: store.licenseKeys, clock }, by);
    return done('/keys', 'New keys sign certificates from now on.');
  }),
];

const SHOWN = 100;
const MAX_TEXT = 200;

export const LOG_ROUTES: readonly ConsoleRoute[] = [
  page('/log', async ({ query, context }) => {
    const text = (name: string) => query.get(name)?.trim().slice(0, MAX_TEXT) || undefined;
    const entities = Object.keys(CHANGE_KINDS) as ChangeEntity[];
    const entity = entities.find((one) => one === text('entity'));
    const before = Number(text('before') ?? Number.NaN);
    const changes = await latestChanges(context.store, SHOWN, {
      entity,
      entityId: text('id')?.toLowerCase(),
      by: text('by'),
      text: text('reason'),
      beforeSeq: Number.isSafeInteger(before) ? before : undefined,
    });
    const older = new URLSearchParams(query);
    older.set('before', String(changes.at(-1)?.seq ?? 0));
    return {
      title: 'Change log',
      main: html`${heading('Change log')}
<form method="get" action="/log" class="inline search" role="search">
${field('What', select('entity', [['', 'anything'], ...entities.map((one) => [one, one.replace('_', ' ')] as const)], entity))}
${field('Id', html`<input name="id" value="${text('id')}" autocomplete="off">`)}
${field('By', html`<input name="by" value="${text('by')}" autocomplete="off" placeholder="console:anna">`)}
${field('Reason or reference', html`<input name="reason" value="${text('reason')}" autocomplete="off">`)}
<button class="primary">Show</button></form>
${changeTable(changes)}${changes.length === SHOWN && html`<nav class="pager" aria-label="Pages"><a href="/log?${older.toString()}" rel="next">Older →</a></nav>`}`,
    };
  }),
];

function changeTable(changes: readonly NamedChange[]): Html {
  return table(
    'Changes',
    '# # | When | What | Which | By | Reason | Reference',
    changes.map((change) => {
      const { seq, at, entity, kind, entityId, name, changed, reason, reference } = change;
      return [
        seq,
        time(at),
        entity === 'track' && changed?.length
          ? `${entity}.${kind} (${changed.join(', ')})`
          : `${entity}.${kind}`,
        link(entity, entityId, name),
        actorForPeople(change),
        ...[whole(reason), reference],
      ];
    }),
    'No such change.',
  );
}

const PAGES: Partial<Record<ChangeEntity, string>> = {
  track: '/tracks',
  client: '/clients',
  playlist: '/playlists',
  webhook: '/webhooks',
};

function link(entity: ChangeEntity, id: string, name: string | null): Html | string {
  const to = PAGES[entity];
  if (to === undefined || (name === null && entity !== 'webhook')) return name ?? id;
  return html`<a href="${to}/${id}">${name ?? id}</a>`;
}
