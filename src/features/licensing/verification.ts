import { hash } from 'node:crypto';
import { type LicenseView, licenseState } from './issued-license.ts';

/** Whether a license may be relied on: a test license never is. */
export function isInForce(license: LicenseView, now: number): boolean {
  return license.mode === 'live' && licenseState(license, now) === 'active';
}

/**
 * Returns what anyone who knows the number of a license may know about it, as JSON: no price, no email address, and no
 * client (docs/contract/certificates.md#verify).
 *
 * @param now in milliseconds since the epoch
 */
export function shownVerification(license: LicenseView, now: number) {
  const { number, mode, terms, startsAt, endsAt, takenDown } = license;
  const status = licenseState(license, now);
  return {
    number,
    valid: isInForce(license, now),
    status,
    mode,
    issuedAt: new Date(license.issuedAt).toISOString(),
    startsAt: new Date(startsAt).toISOString(),
    endsAt: endsAt === null ? null : new Date(endsAt).toISOString(),
    licensee: { name: terms.licensee.name },
    project: { name: terms.project.name },
    media: terms.media,
    territories: terms.territories,
    exclusive: terms.exclusive,
    tracks: terms.tracks.map(({ trackId, name, artists, isrc }) => {
      return { trackId, name, artists, isrc, takenDown: takenDown.has(trackId) };
    }),
    certificateSha256: hash('sha256', license.certificate, 'hex'),
  };
}
