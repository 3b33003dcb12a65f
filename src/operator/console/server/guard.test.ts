import { expect, it } from 'vitest';
import { loginPath, nextPage } from './guard.ts';

it.each([
  ['/clients', '/clients'],
  ['/tracks?q=a%20b&page=2', '/tracks?q=a%20b&page=2'],
  ['/tracks#part', '/tracks'],
])('a login leads to %s', (given, next) => {
  expect(nextPage(given)).toBe(next);
});

it.each([
  null,
  undefined,
  '',
  'https://example.com/clients',
  '//example.com',
  '/\\example.com',
  '/.//example.com',
  '/a/..//example.com',
  'javascript:alert(1)',
  'http://[',
  `/${'a'.repeat(1_000)}`,
])('a login does not lead to %s', (given) => {
  expect(nextPage(given)).toBe('/');
});

it('the address of the login names the page', () => {
  expect(loginPath('/')).toBe('/login');
  expect(loginPath('/log?page=2')).toBe('/login?next=%2Flog%3Fpage%3D2');
  expect(loginPath('/', { isUnsaved: true })).toBe('/login?unsaved=1');
  expect(loginPath('/log', { isUnkept: true })).toBe('/login?next=%2Flog&unkept=1');
});
