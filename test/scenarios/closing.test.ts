import { expect, it } from 'vitest';
import { startHouse } from '../harness/house.ts';

it('a service closes what is left when one part of it fails to close, and tells the fault', async () => {
  const house = await startHouse({ tracks: [] });
  const { app, house: catalog } = house.service;
  const closeApp = app.close.bind(app);
  Object.assign(app, {
    async close() {
      await closeApp();
      throw new Error('no good end');
    },
  });
  await expect(house.service.close()).rejects.toThrow('no good end');
  await expect(catalog.store.changes.head()).rejects.toThrow();
  await house.close();
});
