import type { LicenseState } from '../../../features/licensing/issued-license.ts';
import type { Tone } from '../pages/parts.ts';

/** The tone of each state of a license. */
export const LICENSE_TONES: Readonly<Record<LicenseState, Tone>> = {
  active: 'good',
  scheduled: 'plain',
  expired: 'plain',
  revoked: 'bad',
};
