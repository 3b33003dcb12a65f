import { expect, it } from 'vitest';
import { leastRole, mayUse } from './roles.ts';
import { CONSOLE_ROUTES } from './start.ts';

it('every route of the console has a least role', () => {
  for (const { method, path } of CONSOLE_ROUTES) expect(leastRole(method, path)).toBeDefined();
});

it('a viewer may only send the form that ends the session', () => {
  const forms = CONSOLE_ROUTES.filter(({ method }) => method === 'POST');
  for (const { path } of forms) expect(leastRole('POST', path), path).not.toBe('viewer');
});

it.each([
  ['viewer', 'GET', '/clients/0b6c', true],
  ['viewer', 'GET', '/clients/new', false],
  ['operator', 'GET', '/clients/new', true],
  ['viewer', 'POST', '/clients/0b6c/secrets/1/revoke', false],
  ['operator', 'POST', '/clients/0b6c/secrets/1/revoke', true],
  ['operator', 'POST', '/rate-cards/games/3/withdraw', true],
  ['operator', 'POST', '/operators/anna/reset', false],
  ['owner', 'POST', '/operators/anna%40example.com/reset', true],
  ['owner', 'POST', '/no-such-form', false],
  ['viewer', 'GET', '/statementsXcsv', false],
] as const)('%s may %s %s: %s', (role, method, path, may) => {
  expect(mayUse(role, method, path)).toBe(may);
});
