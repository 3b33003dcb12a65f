import { expect, it } from 'vitest';
import { temporaryFolder } from '../harness/cli.ts';
import { serveConsole } from './console-client.ts';

it('runs once for all workers of a process, and ends with them', async () => {
  using folder = temporaryFolder();
  await using console_ = await serveConsole(folder, { args: ['--workers', '2'] });
  const { client, service } = console_;
  await client.login();
  const overview = await client.get('/');
  expect(overview.status).toBe(200);
  expect(overview.text).toContain('Live tracks');
  expect(await service.stop()).toBe(0);
});
