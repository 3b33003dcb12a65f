import { rotateKeys } from '../../../features/access/key-ring.ts';
import { listKeys, rotateLicenseKeys } from '../../../features/licensing/license-keys.ts';
import { time } from '../pages/format.ts';
import { html } from '../pages/html.ts';
import { action, type ConsoleRoute, done, page } from '../pages/page.ts';
import { badge, button, heading, table } from '../pages/parts.ts';
import type { ConsoleDependencies } from '../server/dependencies.ts';

/** The keys that sign, without their secrets, and their replacement. */
export function keyRoutes({ context }: ConsoleDependencies): ConsoleRoute[] {
  const { store, clock, by } = context;
  return [
    page('/keys', async ({ session }) => ({
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
        ['Key', 'Signs', 'Created', 'State'],
        (await listKeys(store)).map(({ id, purpose, createdAt, retiredAt }) => [
          html`<code>${id}</code>`,
          purpose,
          time(createdAt),
          retiredAt === null
            ? badge('signs', 'good')
            : html`${badge('replaced')} ${time(retiredAt)}`,
        ]),
      )}`,
    })),
    action('/keys/rotate', async () => {
      await rotateKeys({ keys: store.keys, clock }, by);
      return done('/keys', 'New keys sign tokens and URLs from now on.');
    }),
    action('/keys/rotate-licenses', async () => {
      await rotateLicenseKeys({ keys: store.licenseKeys, clock }, by);
      return done('/keys', 'New keys sign certificates from now on.');
    }),
  ];
}
