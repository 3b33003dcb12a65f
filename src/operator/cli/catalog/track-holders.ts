import { printableLine } from '../../../common/text/printable.ts';
import { licenseState } from '../../../features/licensing/issued-license.ts';
import type { TrackHolders } from '../../../features/takedown/track-references.ts';
import { isoTime } from '../terminal/arguments.ts';
import { fittedTable } from '../terminal/fitted-table.ts';

/** How many collections and licenses people read. */
const MAX_PRINTED = 20;

/** Returns who holds tracks, for a script. */
export function holdersForScripts(
  { playlists, clients, collections, licenses, isTruncated }: TrackHolders,
  now: number,
) {
  return {
    playlists,
    clients,
    collections,
    licenses: licenses.map(({ issuedAt, startsAt, endsAt, revokedAt, ...license }) => ({
      ...license,
      status: licenseState({ startsAt, endsAt, revokedAt }, now),
      issuedAt: isoTime(issuedAt),
      startsAt: isoTime(startsAt),
      endsAt: isoOrNull(endsAt),
      revokedAt: isoOrNull(revokedAt),
    })),
    isTruncated,
  };
}

/** Returns who holds tracks, in lines. Empty if nobody does. */
export function holdersForPeople(holders: TrackHolders, now: number): string[] {
  const { playlists, clients, collections, licenses, isTruncated } = holders;
  const lines: string[] = [];
  if (playlists.length > 0) {
    lines.push(`in the playlists ${playlists.map(({ slug }) => slug).join(', ')}`);
  }
  if (clients.length > 0) {
    const names = clients.map(({ clientId, name }) => `${name} (${clientId})`);
    lines.push(printableLine(`which these clients see: ${names.join(', ')}`));
  }
  lines.push(
    ...listed('in these collections of clients:', collections.length, collectionTable(collections)),
  );
  lines.push(...listed('in these licenses:', licenses.length, licenseTable(licenses, now)));
  if (isTruncated) lines.push('there are more of them: only the first thousand of each are read');
  return lines;
}

function listed(title: string, count: number, text: string): string[] {
  if (count === 0) return [];
  const more = count > MAX_PRINTED ? [`… and ${count - MAX_PRINTED} more, which --json has`] : [];
  return [title, text, ...more];
}

function collectionTable(collections: TrackHolders['collections']): string {
  return fittedTable(
    ['COLLECTION', 'MODE', 'CLIENT', 'NAME'],
    collections
      .slice(0, MAX_PRINTED)
      .map(({ id, mode, clientName, name }) => [id, mode, clientName, name]),
    ['CLIENT', 'NAME'],
  );
}

function licenseTable(licenses: TrackHolders['licenses'], now: number): string {
  return fittedTable(
    ['LICENSE', 'STATE', 'MODE', 'STARTS', 'ENDS', 'CLIENT'],
    licenses
      .slice(0, MAX_PRINTED)
      .map((license) => [
        license.number,
        licenseState(license, now),
        license.mode,
        isoTime(license.startsAt).slice(0, 10),
        license.endsAt === null ? 'never' : isoTime(license.endsAt).slice(0, 10),
        license.clientName ?? license.clientId,
      ]),
    ['CLIENT'],
  );
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}
