import { expect, it } from 'vitest';
import { clientPackageRoute, pickerRoute } from './reference-routes.ts';

it.each([
  ['archive', clientPackageRoute],
  ['picker', pickerRoute],
])('says what to do if the %s is not built', async (_, routeOf) => {
  const route = routeOf(new URL('file:///nonexistent/built'));
  const handled = async () => route.handle({} as Parameters<typeof route.handle>[0]);
  await expect(handled()).rejects.toMatchObject({
    kind: 'not_found',
    message: expect.stringContaining('npm run build'),
  });
});
