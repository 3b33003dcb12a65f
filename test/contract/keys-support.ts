import { newId } from '../../src/common/ids.ts';
import { newLicenseKeys } from '../../src/features/licensing/certificate.ts';
import type { Store } from '../../src/features/store.ts';

/** Calls every method of the stores of keys. */
export async function useKeys({ keys, licenseKeys }: Pick<Store, 'keys' | 'licenseKeys'>) {
  const key = { purpose: 'url', secret: Buffer.alloc(32), createdAt: 1, retiredAt: null } as const;
  await keys.ensure([{ id: newId(), ...key }], 'test:plans');
  await keys.rotate([{ id: newId(), ...key }], 0, 'test:plans');
  await keys.all();
  const clock = { now: () => 1 };
  await licenseKeys.ensure(newLicenseKeys(clock), 'test:plans');
  await licenseKeys.rotate(newLicenseKeys(clock), 'test:plans');
  await licenseKeys.all();
}
