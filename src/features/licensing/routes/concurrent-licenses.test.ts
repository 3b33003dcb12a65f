import { it } from 'vitest';
import { expectAtATime } from '../../../../test/harness/at-a-time.ts';
import { listLicenses } from './license-routes.ts';

it('sends four pages of licenses to a client at a time, and those of other clients', () =>
  expectAtATime(
    4,
    'listLicenses',
    (list) =>
      listLicenses({
        issuedLicenses: { list, find: () => Promise.reject(new Error('not read')) },
        publicUrl: () => 'https://api.house.example',
      }),
    { licenses: [], total: 0 },
  ));
