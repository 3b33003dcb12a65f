import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UPLOADS_FOLDER } from '../../../app/open/data-folder.ts';
import { OperatorError } from '../../../common/errors.ts';
import type { RateCardRecord } from '../../../features/licensing/rate-card.ts';
import { parseRateCard } from '../../../features/licensing/rate-card-file.ts';
import { type Html, html, prettyJson, time } from '../pages/html.ts';
import { action, asShown, type ConsoleRoute, done, edit, page } from '../pages/page.ts';
import {
  badge,
  button,
  card,
  facts,
  field,
  form,
  heading,
  pager,
  sliceOf,
  table,
} from '../pages/parts.ts';
import { readUpload } from '../server/upload.ts';

const MAX_BYTES = 1024 * 1024;
const VERSION_PATH = '/rate-cards/:name/:version(^\\d{1,9}$)';

/** Rate cards: their versions, publication and withdrawal. */
export const RATE_CARD_ROUTES: readonly ConsoleRoute[] = [
  page('/rate-cards', async ({ query, session, context: { store } }) => {
    const shown = sliceOf(await store.rateCards.list(), query);
    return {
      title: 'Rate cards',
      main: html`${heading('Rate cards')}${table(
        'Rate cards',
        'Name | # Version | State | Published | By',
        shown.rows.map((record) => [
          html`<a href="/rate-cards/${record.name}/${record.version}">${record.name}</a>`,
          record.version,
          stateOf(record),
          time(record.publishedAt),
          record.by,
        ]),
        'There is no rate card yet.',
      )}${pager('/rate-cards', query, shown)}${card(
        'Publish a version',
        form(
          session,
          '/rate-cards',
          () =>
            html`${field('Rate card', html`<input type="file" name="file" required accept=".json">`, 'JSON of up to 1 MB, which has the name. New quotes are priced by it at once.')}<div class="actions"><button class="primary" name="what" value="publish">Publish</button><button name="what" value="check">Only check it</button></div>`,
          { hasFiles: true },
        ),
      )}`,
    };
  }),
  action(
    '/rate-cards',
    async (request) => {
      const folder = join(request.context.config.dataFolder, UPLOADS_FOLDER);
      const upload = await readUpload(request, { folder, maxBytes: MAX_BYTES });
      try {
        const shown = asShown(request);
        const path = upload.files.get('file');
        if (path === undefined) throw new OperatorError('choose the file of a rate card');
        const document = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
        const { name } = parseRateCard(document);
        if (request.form.get('what') !== 'publish') {
          return done('/rate-cards', `${name} is valid. Nothing was published.`);
        }
        const version = await shown.store.rateCards.publish({ name, document }, request.context.by);
        return done(`/rate-cards/${name}/${version}`, `${name}@${version} is published.`);
      } finally {
        await upload.remove();
      }
    },
    { isUpload: true },
  ),
  page(VERSION_PATH, async ({ params, session, context: { store } }) => {
    const record = await store.rateCards.show(params.name!, Number(params.version));
    const label = `${record.name}@${record.version}`;
    return {
      title: label,
      main: html`${heading(
        html`${label} ${stateOf(record)}`,
        record.withdrawnAt === null &&
          button(session, {
            ...{ to: `/rate-cards/${record.name}/${record.version}/withdraw`, name: 'Withdraw' },
            ...{
              kind: 'danger',
              confirms: `Withdraw ${label}? Quotes that exist keep their price.`,
            },
          }),
      )}${facts([
        ['Published', time(record.publishedAt)],
        ['By', record.by],
        ['Withdrawn', record.withdrawnAt && time(record.withdrawnAt)],
      ])}${card('Document', html`<pre><code>${prettyJson(record.document)}</code></pre>`)}`,
    };
  }),
  edit(`${VERSION_PATH}/withdraw`, async ({ params, context }) => {
    const { name, version } = params;
    await context.store.rateCards.withdraw(name!, Number(version), context.by);
    return done('/rate-cards', `${name}@${version} is withdrawn.`);
  }),
];

function stateOf({ isInForce, withdrawnAt }: RateCardRecord): Html {
  if (isInForce) return badge('in force', 'good');
  return badge(withdrawnAt === null ? 'replaced' : 'withdrawn');
}
