import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { temporaryFolder } from '../harness/cli.ts';
import { type ConsoleClient, PASSWORD, serveConsole } from './console-client.ts';

const folder = temporaryFolder();
let running: Awaited<ReturnType<typeof serveConsole>>;
let operator: ConsoleClient;

beforeAll(async () => {
  running = await serveConsole(folder);
  operator = running.client;
});
afterAll(async () => {
  await running[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** The status and the cookies of a login from another address of this machine, or with another `Host`. */
function loginFrom({
  localAddress = '127.0.0.1',
  host = new URL(operator.url).host,
}): Promise<{ status: number; cookies: string[] }> {
  const headers = {
    host,
    origin: `http://${host}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', localAddress, headers, agent: false };
    const sent = request(`${operator.url}/login`, options, (response) => {
      response.resume();
      const cookies = response.headers['set-cookie'] ?? [];
      resolve({ status: response.statusCode!, cookies });
    });
    sent.once('error', reject);
    sent.end(new URLSearchParams({ name: 'console', password: PASSWORD }).toString());
  });
}

it('the cookie has the prefix on loopback, and elsewhere none that browsers refuse', async () => {
  for (const host of ['127.0.0.1:9465', '127.0.0.2', 'localhost:9465', '[::1]:9465']) {
    const { status, cookies } = await loginFrom({ host });
    expect(status).toBe(303);
    for (const cookie of cookies) expect(cookie).toMatch(/^__Host-.*; Secure$/);
  }
  const { cookies } = await loginFrom({ host: '192.0.2.7:9465' });
  expect(cookies).toEqual([
    expect.stringMatching(
      /^stave-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    ),
  ]);
  const [session] = cookies.map((cookie) => cookie.split(';')[0]!);
  const page = await new Promise((resolve, reject) => {
    const headers = { host: '192.0.2.7:9465', cookie: session };
    request(operator.url, { headers }, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end();
  });
  expect(page).toBe(200);
});

it.skipIf(!hasBrowser)('Chromium keeps the cookie on loopback', async () => {
  const browser = await launchBrowser();
  try {
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${new URL(operator.url).port}`;
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(url);
      await page.fill('#name', 'console');
      await page.fill('#password', PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${url}/`);
      const kept = (await context.cookies()).map(({ name, secure }) => `${name} ${secure}`);
      expect(kept).toEqual(['__Host-stave-console true']);
      await context.close();
    }
  } finally {
    await browser.close();
  }
});
