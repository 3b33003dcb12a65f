import { expect, it } from 'vitest';
import { clientPackageRoute } from './reference-routes.ts';

it('says what to do if the archive is not built', async () => {
  const route = clientPackageRoute(new URL('file:///nonexistent/stave-client.tgz'));
  const handled = async () => route.handle({} as Parameters<typeof route.handle>[0]);
  await expect(handled()).rejects.toMatchObject({
    kind: 'not_found',
    message: expect.stringContaining('npm run build'),
  });
});
