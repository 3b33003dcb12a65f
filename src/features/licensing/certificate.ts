import type { Mode } from '../../common/caller.ts';

/** A track in a certificate, under its original name. */
export interface CertifiedTrack {
  trackId: string;
  name: string;
  /** The names of its artists, the primary one first. */
  artists: readonly string[];
  /** `''` if it is unknown. */
  isrc: string;
}

export interface LicensedProject {
  name: string;
  /** What the client calls it. */
  reference?: string;
  /** The `production.id` of its reported use. */
  productionId?: string;
}

/** A license as its certificate describes it: without price, status and email address. */
export interface CertifiedLicense {
  number: string;
  licensee: { name: string; country: string };
  project: LicensedProject;
  media: readonly string[];
  /** Countries, or only `WORLD`. */
  territories: readonly string[];
  exclusive: boolean;
  /** UTC with milliseconds, as in the response. */
  startsAt: string;
  /** UTC with milliseconds. Null if the license does not end. */
  endsAt: string | null;
  tracks: readonly CertifiedTrack[];
  termsVersion: string;
  termsUrl: string;
}

/** The claims of a certificate (RFC 7519). Times are whole seconds since the epoch, rounded down. */
export interface CertificateClaims {
  /** `STAVE_PUBLIC_URL`, or else `STAVE_LICENSOR`. */
  iss: string;
  /** The number of the license. */
  jti: string;
  /** The name of the licensee. */
  sub: string;
  /** When it was issued. */
  iat: number;
  /** When it starts. */
  nbf: number;
  /** When it ends. Absent if it does not. */
  exp?: number;
  mode: Mode;
  license: CertifiedLicense;
}
