import type { KeyStore } from '../access/access-stores.ts';
import type { LicenseKeyStore } from './store/license-key-store.ts';

/** A key without its secret. Times are in milliseconds since the epoch. */
export interface ListedKey {
  id: string;
  purpose: 'tokens' | 'URLs' | 'live certificates' | 'test certificates';
  createdAt: number;
  /** Since when it no longer signs. Null if it signs. */
  retiredAt: number | null;
}

/** Lists the keys of tokens and URLs, and then those of certificates, each newest first. */
export async function listKeys(store: {
  keys: Pick<KeyStore, 'all'>;
  licenseKeys: Pick<LicenseKeyStore, 'all'>;
}): Promise<ListedKey[]> {
  const keys = (await store.keys.all()).map(
    ({ id, purpose, createdAt, retiredAt }): ListedKey => ({
      ...{ id, createdAt, retiredAt },
      purpose: purpose === 'token' ? 'tokens' : 'URLs',
    }),
  );
  const ofLicenses = (await store.licenseKeys.all()).map(
    ({ kid, mode, createdAt, retiredAt }): ListedKey => ({
      ...{ id: kid, createdAt, retiredAt },
      purpose: `${mode} certificates`,
    }),
  );
  return [...keys, ...ofLicenses];
}
