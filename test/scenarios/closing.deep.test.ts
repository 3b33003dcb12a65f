import { expect, it } from 'vitest';
import { startTestServer } from '../harness/test-server.ts';

it('a service closes all parts even if one fails to close, and reports the error', async () => {
  const server = await startTestServer({ tracks: [] });
  const { app, context: catalog } = server.service;
  const closeApp = app.close.bind(app);
  Object.assign(app, {
    async close() {
      await closeApp();
      throw new Error('no good end');
    },
  });
  await expect(server.service.close()).rejects.toThrow('no good end');
  await expect(catalog.store.changes.head()).rejects.toThrow();
  await server.close();
});
