import { MAX_NAME, ROLES, unknownOperator } from '../../../features/access/operator.ts';
import {
  addOperator,
  changeOperator,
  type LinkedOperator,
  type OperatorRecord,
  recordOf,
  removeOperator,
  resetOperator,
} from '../../../features/access/operators.ts';
import { type Html, html, time } from '../pages/html.ts';
import {
  action,
  type ConsoleRequest,
  type ConsoleRoute,
  done,
  edit,
  type FormSession,
  type FormValues,
  page,
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
  select,
  table,
} from '../pages/parts.ts';

export const OPERATOR_ROUTES: readonly ConsoleRoute[] = [
  page('/operators', async ({ session, context }) => {
    const all = (await context.store.operators.all()).map(recordOf);
    return {
      title: 'Operators',
      main: html`${heading('Operators')}${table(
        'Operators',
        'Name | Role | State | Password | Last login | Added',
        all.map((one) => [
          html`<a href="${pathOf(one.name)}">${one.name}</a>`,
          one.role,
          stateBadge(one),
          passwordState(one, context.clock.now()),
          time(one.lastLoginAt),
          time(one.createdAt),
        ]),
      )}${card(
        'Add an operator',
        form(
          session,
          '/operators',
          (
            given,
          ) => html`${field('Name', html`<input name="name" required maxlength="${2 * MAX_NAME}" autocomplete="off" autocapitalize="none" spellcheck="false" value="${given.text('name', null)}">`, 'What the operator logs in with, or the name that the proxy gives. The change log shows it.')}
${roleField(given, 'viewer')}
<button class="primary">Add</button>`,
        ),
      )}`,
    };
  }),
  action('/operators', async (request) => {
    const { context, form: given } = request;
    const added = await addOperator(context, {
      name: given.get('name') ?? '',
      role: given.get('role') ?? '',
      hasLink: context.config.consolePasswords,
    });
    return linked(request, added, `${added.name} is added.`);
  }),
  page('/operators/:name', async ({ params, session, context }) => {
    const found = await context.store.operators.get(params.name!);
    if (found === undefined) throw unknownOperator(params.name!);
    const one = recordOf(found);
    return { title: one.name, main: operatorPage(session, one, context) };
  }),
  edit('/operators/:name', async ({ params, context, form: given }) => {
    const role = given.get('role') ?? '';
    const { name } = await changeOperator(context, params.name!, { role });
    return done(pathOf(name), `${name} now has the role ${role}.`);
  }),
  edit('/operators/:name/enable', async ({ params, context }) => {
    const { name } = await changeOperator(context, params.name!, { enabled: true });
    return done(pathOf(name), `${name} is enabled.`);
  }),
  action('/operators/:name/disable', async ({ params, context }) => {
    const { name } = await changeOperator(context, params.name!, { enabled: false });
    return done(pathOf(name), `${name} is disabled. The sessions are ended.`);
  }),
  action('/operators/:name/reset', async (request) => {
    const reset = await resetOperator(request.context, request.params.name!);
    return linked(request, reset, `${reset.name} can set a new password.`);
  }),
  action('/operators/:name/remove', async ({ params, context }) => {
    await removeOperator(context, params.name!);
    return done('/operators', `${params.name!} is removed. The change log keeps the name.`);
  }),
];

function operatorPage(
  session: FormSession,
  one: OperatorRecord,
  { clock, config }: ConsoleRequest['context'],
): Html {
  const { name } = one;
  const to = pathOf(name);
  return html`${heading(
    html`${name} ${stateBadge(one)}`,
    html`${config.consolePasswords && one.enabled && button(session, { to: `${to}/reset`, name: 'Make a link' })}${
      one.enabled
        ? button(session, {
            ...{ to: `${to}/disable`, name: 'Disable', kind: 'danger' },
            confirms: `Disable ${name}? The sessions end at once.`,
          })
        : button(session, { to: `${to}/enable`, name: 'Enable', kind: 'primary' })
    }${button(session, {
      ...{ to: `${to}/remove`, name: 'Remove', kind: 'danger' },
      confirms: `Remove ${name}? The sessions end at once.`,
    })}`,
  )}
${facts([
  ['Role', one.role],
  ['Password', passwordState(one, clock.now())],
  ['Last login', time(one.lastLoginAt)],
  ['Added', time(one.createdAt)],
  [
    'Changes',
    html`<a href="/log?${new URLSearchParams({ by: `console:${name}` }).toString()}">what ${name} did here</a>`,
  ],
])}
${card(
  'Role',
  form(
    session,
    to,
    (given) => html`${roleField(given, one.role)}<button class="primary">Save</button>`,
  ),
)}`;
}

function roleField(given: FormValues, role: string): Html {
  return field(
    'Role',
    select('role', ROLES, given.text('role', role)),
    'A viewer changes nothing. An operator does the daily work. Only an owner may use operators, keys, backups and paths on the server. A lower role ends the sessions.',
  );
}

function stateBadge({ enabled }: OperatorRecord): Html {
  return enabled ? badge('enabled', 'good') : badge('disabled', 'bad');
}

function passwordState({ hasPassword, linkExpiresAt }: OperatorRecord, now: number): Html {
  const link =
    linkExpiresAt !== null &&
    (linkExpiresAt > now ? html`link until ${time(linkExpiresAt)}` : 'the link has ended');
  return html`${hasPassword ? 'set' : 'none'}${link !== false && html`, ${link}`}`;
}

/** Shows a new link once. */
function linked({ context, raw }: ConsoleRequest, one: LinkedOperator, text: string) {
  const to = pathOf(one.name);
  if (one.linkPath === null) return done(to, text);
  const { origin, host } = raw.headers;
  // The guard has checked them.
  const base = context.config.console?.url ?? origin ?? `http://${host}`;
  const content = html`<p>${text} Give the operator this link, which works once, until ${time(one.linkExpiresAt)}. No page shows it again.</p><p>${copyable(base + one.linkPath, 'link')}</p>`;
  return { to, notice: { kind: 'secret' as const, content } };
}

function pathOf(name: string): string {
  return `/operators/${encodeURIComponent(name)}`;
}
