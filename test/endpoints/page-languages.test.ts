import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LinkServer, startLinkServer } from '../harness/shared-links.ts';

let on: LinkServer;
let paths: readonly string[];
beforeAll(async () => {
  on = await startLinkServer();
  const { token } = await on.link();
  paths = [`/s/${token}`, '/s/unknown', '/sign-in'];
});
afterAll(() => on?.server.close());

it.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-CH, fr;q=0.9, *;q=0.5', 'de'],
  ['pt-BR, ES-mx;q=0.4, en;q=0.1', 'es'],
  ['fr;q=0, ar', 'en'],
  [';;q=x,,fr', 'fr'],
])(
  'the pages for people without credentials follow Accept-Language %s: %s',
  async (given, language) => {
    for (const path of paths) {
      const headers = given === undefined ? {} : { 'Accept-Language': given };
      const page = await on.server.http.send('GET', path, headers);
      expect([path, page.headers['content-language']]).toEqual([path, language]);
      expect(page.headers.vary).toContain('Accept-Language');
      expect(page.body.toString()).toContain(`<html lang="${language}" dir="ltr">`);
    }
  },
);
