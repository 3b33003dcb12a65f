import { OperatorError } from '../../common/operator-error.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { causesInTheChangeLog } from './migrations/0002-causes-in-the-change-log.ts';
import { floorOfTheChangeLog } from './migrations/0003-floor-of-the-change-log.ts';
import { timesOfTheChangeLog } from './migrations/0004-times-of-the-change-log.ts';
import { takedownsInTheChangeLog } from './migrations/0005-takedowns-in-the-change-log.ts';
import { writersOfTracks } from './migrations/0006-writers-of-tracks.ts';
import { idempotencyKeys } from './migrations/0007-idempotency-keys.ts';
import { usage } from './migrations/0008-usage.ts';
import { usageOfATrack } from './migrations/0009-usage-of-a-track.ts';
import { lastUseOfADay } from './migrations/0010-last-use-of-a-day.ts';
import { claimsOfKeys } from './migrations/0011-claims-of-keys.ts';
import { accountsOfClients } from './migrations/0012-accounts-of-clients.ts';
import { sumsOfTracks } from './migrations/0013-sums-of-tracks.ts';
import { collections } from './migrations/0014-collections.ts';
import { webhooks } from './migrations/0015-webhooks.ts';
import { savedSearches } from './migrations/0016-saved-searches.ts';
import { renditions } from './migrations/0017-renditions.ts';
import { heldMessages } from './migrations/0018-held-messages.ts';
import { creationsInTheChangeLog } from './migrations/0019-creations-in-the-change-log.ts';
import { queuedFormats } from './migrations/0020-queued-formats.ts';
import { statesOfWebhooks } from './migrations/0021-states-of-webhooks.ts';
import { postponedRenditions } from './migrations/0022-postponed-renditions.ts';
import { tracksByAudio } from './migrations/0023-tracks-by-audio.ts';
import { licensing } from './migrations/0024-licensing.ts';
import { licenseKeys } from './migrations/0025-license-keys.ts';
import { partsOfTracks } from './migrations/0026-parts-of-tracks.ts';
import { languages } from './migrations/0027-languages.ts';
import { usesOfLicenses } from './migrations/0028-uses-of-licenses.ts';
import { availability } from './migrations/0029-availability.ts';
import { reasonsInTheChangeLog } from './migrations/0030-reasons-in-the-change-log.ts';
import { useOfClients } from './migrations/0031-use-of-clients.ts';
import { trackMessages } from './migrations/0032-track-messages.ts';
import { requestsForMedia } from './migrations/0033-requests-for-media.ts';
import type { Migration } from './schema-dialect.ts';

/** The version after the first step. Lower versions existed only in development, before the first release. */
export const FIRST_VERSION = 10;

/** The steps in order. Each raises the schema version by one. */
export const MIGRATIONS: readonly Migration[] = [
  firstSchema,
  causesInTheChangeLog,
  floorOfTheChangeLog,
  timesOfTheChangeLog,
  takedownsInTheChangeLog,
  writersOfTracks,
  idempotencyKeys,
  usage,
  usageOfATrack,
  lastUseOfADay,
  claimsOfKeys,
  accountsOfClients,
  sumsOfTracks,
  collections,
  webhooks,
  savedSearches,
  renditions,
  heldMessages,
  creationsInTheChangeLog,
  queuedFormats,
  statesOfWebhooks,
  postponedRenditions,
  tracksByAudio,
  licensing,
  licenseKeys,
  partsOfTracks,
  languages,
  usesOfLicenses,
  availability,
  reasonsInTheChangeLog,
  useOfClients,
  trackMessages,
  requestsForMedia,
];

/** Returns the schema version after these steps; for MIGRATIONS, the version that this build writes. */
export function versionAfter(migrations: readonly Migration[]): number {
  return FIRST_VERSION + migrations.length - 1;
}

/** Returns the steps that a schema of this version lacks. Version 0 is an empty database. */
export function stepsAfter(
  version: number,
  migrations: readonly Migration[],
): readonly Migration[] {
  return version === 0 ? migrations : migrations.slice(version - FIRST_VERSION + 1);
}

/** Throws OperatorError for a schema that was never released, because no step migrates it. */
export function refuseUnreleased(version: number, place: string): void {
  if (version > 0 && version < FIRST_VERSION) {
    throw new OperatorError(
      `The database ${place} was written by a version of Stave from before the first release (schema ${version}): remove it, and import the catalog again.`,
    );
  }
}

/** Returns the error for a schema that is too new for this build. */
export function newerSchema(place: string, version: number, known: number): OperatorError {
  return new OperatorError(
    `The database ${place} was written by a newer version of Stave (schema ${version}, this one knows ${known}): run that version, or restore a backup.`,
  );
}
