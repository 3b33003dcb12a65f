import { CHANGE_KINDS, type ChangeEntity } from '../../../engines/change-log/change-log.ts';
import { latestChanges, type NamedChange } from '../../reports/latest-changes.ts';
import { time } from '../pages/format.ts';
import { type Html, html } from '../pages/html.ts';
import { type ConsoleRoute, page } from '../pages/page.ts';
import { field, heading, select, table } from '../pages/parts.ts';
import type { ConsoleDependencies } from '../server/dependencies.ts';

const SHOWN = 100;
const MAX_TEXT = 200;

/** The change log, newest first. */
export function logRoutes({ context }: ConsoleDependencies): ConsoleRoute[] {
  return [
    page('/log', async ({ query }) => {
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
${field('By', html`<input name="by" value="${text('by')}" autocomplete="off" placeholder="console">`)}
${field('Reason or reference', html`<input name="reason" value="${text('reason')}" autocomplete="off">`)}
<button class="primary">Show</button></form>
${changeTable(changes)}${changes.length === SHOWN && html`<nav class="pager" aria-label="Pages"><a href="/log?${older.toString()}" rel="next">Older →</a></nav>`}`,
      };
    }),
  ];
}

function changeTable(changes: readonly NamedChange[]): Html {
  return table(
    'Changes',
    [{ title: '#', isNumber: true }, 'When', 'What', 'Which', 'By', 'Reason', 'Reference'],
    changes.map(({ seq, at, entity, kind, entityId, name, by, changed, reason, reference }) => [
      seq,
      time(at),
      entity === 'track' && changed?.length
        ? `${entity}.${kind} (${changed.join(', ')})`
        : `${entity}.${kind}`,
      link(entity, entityId, name),
      by,
      reason,
      reference,
    ]),
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
