import { expect, it } from 'vitest';
import { ON_POSTGRES } from '../harness/services.ts';
import { runLicenses } from './licenses/run-licenses.ts';

/** `npm run scenarios -- --licenses 1000` sells a thousand, and kills a node ten times. */
const LICENSES = 200;

it('licenses have numbers without gaps, and exclusive ones one buyer, in spite of rollbacks and kills', {
  timeout: 300_000,
}, async () => {
  const database = ON_POSTGRES ? 'PostgreSQL' : 'SQLite';
  const report = await runLicenses({ licenses: LICENSES, kills: 3, database });
  expect(report).toMatchObject({
    ...{ licenses: LICENSES, rolledBack: LICENSES / 10, kills: 3, races: LICENSES / 20 },
    ...{ lost: 0, gaps: 0, surplus: 0, undecided: 0, wrong: 0 },
  });
});
