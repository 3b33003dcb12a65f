import Type, { type Static } from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import { invalidRequest, StaveError } from '../../../common/errors.ts';
import {
  flag,
  integer,
  integerOrNull,
  oneOf,
  slug,
  text,
  textOrNull,
  timestamp,
  uuid,
} from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { pageMembers, pageResponse, paginated, rangeOf } from '../../../engines/http/schemas.ts';
import { repeatedNames, repetition } from '../../catalog/given-items.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import { DOWNLOAD_FORMATS, type SignedUrls } from '../../media/signed-url.ts';
import { copiesOf, MAX_DOWNLOADS, requireActive } from '../download.ts';
import type { IssuedLicense } from '../issued-license.ts';
import type { LicensedFile } from '../licensed-file.ts';
import { fileNameOf, type LicensedFiles } from '../licensed-files.ts';
import { MAX_QUOTED_TRACKS } from '../price.ts';
import { fixtureTrack } from '../quote.ts';
import type { IssuedLicenseStore } from '../store/issued-license-store.ts';
import type { LicenseDownloadStore } from '../store/license-download-store.ts';
import { LICENSING_ROUTE, licenseParams } from './licensing-schema.ts';

/** How many files are read at the same time, to compute how long they are with their tags. */
const CONCURRENT_FILES = 4;
/** Requests that a client may have at a time: one of 500 files reads the beginning of each. */
const MAX_CONCURRENT = 4;

const formatMember = oneOf(DOWNLOAD_FORMATS, {
  description: 'The format of the file; `original` is the delivered one.',
  examples: ['original'],
});

const RequestSchema = Type.Object(
  {
    tracks: Type.Optional(
      Type.Array(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Slug or id of a track of the license, in any case.',
          examples: ['night-ferry'],
        }),
        {
          minItems: 1,
          maxItems: MAX_QUOTED_TRACKS,
          uniqueItems: true,
          description: 'By default, all tracks of the license.',
          examples: [['night-ferry']],
        },
      ),
    ),
    format: Type.Optional(
      oneOf(DOWNLOAD_FORMATS, {
        description:
          '`mp3` is an MP3 of 320 kbit/s, or the delivered one. `wav` and `flac` keep the sample rate and the size of samples, and are refused for audio that has lost something; `flac` also for samples of floating point.',
        default: 'original',
        examples: ['original'],
      }),
    ),
    parts: Type.Optional(
      flag(
        'Whether stems and versions follow each track; only if `parts` of the license is true.',
        false,
        {
          default: false,
        },
      ),
    ),
  },
  { title: 'DownloadRequest' },
);

const ItemSchema = Type.Object(
  {
    trackId: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    slug: slug({ examples: ['night-ferry'] }),
    partId: textOrNull('The id of a stem or a version; null for the track itself.', null),
    format: formatMember,
    fileName: text('The name under which the file is saved.', 'Mara Lindt - Night Ferry.wav'),
    bytes: integerOrNull(
      'The length of the file; null while the clip of a test license or a FLAC is not made, and for another file of audio whose number of samples is not known.',
      32_460_112,
    ),
    tagged: flag('Whether the file says the license.', true),
    url: text(
      'The signed URL of the file. Valid until `expiresAt`, with ranges.',
      'https://api.house.example/media/download/3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10?expires=1800&issued=1790000000&client=cl_7f&mode=live&kind=download&license=2026-000123-7K2QX9MD&format=original&copy=1&signature=mLHlZIRnPjuJkVZ9T1cGcw',
    ),
  },
  { title: 'LicensedFile' },
);

const DownloadsSchema = Type.Object(
  {
    licenseNumber: text('The number of the license.', '2026-000123-7K2QX9MD'),
    expiresAt: timestamp({
      description: 'Until then, the URLs are valid.',
      examples: ['2026-12-01T10:30:00.000Z'],
    }),
    items: Type.Array(ItemSchema, {
      maxItems: MAX_DOWNLOADS,
      description: 'The files in the order of the tracks.',
    }),
  },
  { title: 'LicensedFiles', description: 'Where the files of a license are.' },
);

interface Dependencies {
  issuedLicenses: Pick<IssuedLicenseStore, 'find'>;
  catalog: Pick<CatalogStore, 'resolveTracks'>;
  files: LicensedFiles;
  signedUrls: Pick<SignedUrls, 'signDownload'>;
  publicUrl(): string;
  clock: Clock;
}

/** POST /v1/licenses/{number}/downloads: signs URLs of the files of a license (docs/contract/licensing.md#downloads). */
export function createDownloads({
  issuedLicenses,
  catalog,
  files,
  signedUrls,
  publicUrl,
  clock,
}: Dependencies): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'createDownloads',
    method: 'POST',
    path: '/v1/licenses/{number}/downloads',
    summary: 'Get the files of a license',
    description: `Signed URLs of the audio of an active license, valid for 30 minutes, for at most ${MAX_DOWNLOADS} files. Each file carries its license in its tags, and the audio as it was delivered, or in the format. A test license gives clips of 30 seconds as MP3. Repeated with the same \`Idempotency-Key\`, URLs are signed anew. Refused with 409 if the license is not active, or one of the tracks cannot be delivered; \`details\` names these.`,
    errors: ['not_found', 'conflict', 'rate_limited'],
    idempotent: true,
    isRepeatable: true,
    maxConcurrent: MAX_CONCURRENT,
    retrySeconds: 1,
    success: { statuses: [201] },
    params: Type.Object(licenseParams),
    body: RequestSchema,
    data: DownloadsSchema,
    async handle({ params, body, caller, now }) {
      const license = await issuedLicenses.find(params.number, caller!);
      const { format = 'original', parts = false } = body;
      requireActive(license, now);
      const trackIds = await chosenTracks(license, body, catalog);
      if (parts && license.terms.parts !== true) {
        throw new StaveError('conflict', 'The license does not include stems and versions.');
      }
      const listed = await files.listed(license, trackIds, { format, parts });
      if (listed.length > MAX_DOWNLOADS) {
        throw new StaveError(
          'conflict',
          `The tracks have ${listed.length} files, and a request gets ${MAX_DOWNLOADS} at most; name fewer tracks.`,
        );
      }
      const sizes = await sizesOf(files, listed);
      const copies = copiesOf(listed, fileNameOf);
      const base = publicUrl();
      let expiresAt = '';
      const items = listed.map((file, i) => {
        const copy = copies[i]!;
        const named = { license: license.number, format, copy };
        const signed = signedUrls.signDownload(file.id, named, license, clock.now());
        expiresAt = signed.expiresAt;
        return {
          trackId: file.record.track.id,
          slug: file.record.track.slug,
          partId: file.partId,
          format,
          fileName: fileNameOf(file, copy),
          ...sizes[i]!,
          url: base + signed.url,
        };
      });
      return { status: 201, data: { licenseNumber: license.number, expiresAt, items } };
    },
  });
}

/**
 * Returns the ids of the tracks that a request names, or of all. Throws `not_found` for tracks that are not on the license,
 * `invalid_request` for one that is named twice, and `conflict` for the fixture track.
 */
async function chosenTracks(
  { terms, mode }: IssuedLicense,
  { tracks }: Static<typeof RequestSchema>,
  catalog: Dependencies['catalog'],
): Promise<string[]> {
  const licensed = new Set(terms.tracks.map(({ trackId }) => trackId));
  const names = tracks ?? [...licensed];
  const resolved = await catalog.resolveTracks(names);
  const fixture = (name: string) => fixtureTrack(name.toLowerCase(), mode)?.id;
  // A track may have been removed from the catalog, so that only its id is known.
  const ids = names.map((name, i) => resolved[i] ?? fixture(name) ?? name.toLowerCase());
  const others = names.filter((_, i) => !licensed.has(ids[i]!));
  if (others.length > 0) {
    const shown = others.slice(0, 50).join(', ') + (others.length > 50 ? ', …' : '');
    throw new StaveError('not_found', `Not on the license: ${shown}.`);
  }
  const items = names.map((track, i) => ({ track, field: `tracks[${i}]` }));
  const repeated = repeatedNames(items, (_, i) => ids[i]).map(repetition);
  if (repeated.length > 0) throw invalidRequest(repeated);
  if (ids.some((id) => fixtureTrack(id, mode) !== undefined)) {
    throw new StaveError('conflict', 'The fixture track has no file.');
  }
  return ids;
}

async function sizesOf(files: LicensedFiles, listed: readonly LicensedFile[]) {
  const sizes: { bytes: number | null; tagged: boolean }[] = [];
  for (let i = 0; i < listed.length; i += CONCURRENT_FILES) {
    const some = listed.slice(i, i + CONCURRENT_FILES).map((file) => files.sizeOf(file));
    sizes.push(...(await Promise.all(some)));
  }
  return sizes;
}

const DownloadSchema = Type.Object(
  {
    trackId: ItemSchema.properties.trackId,
    partId: ItemSchema.properties.partId,
    format: formatMember,
    at: timestamp({
      description: 'When the file was requested first on that day.',
      examples: ['2026-12-01T10:00:00.000Z'],
    }),
    bytes: integer('The length of the file.', 32_460_112),
  },
  {
    title: 'LicenseDownload',
    description: 'A file that was downloaded, once for each day in UTC.',
  },
);

/** GET /v1/licenses/{number}/downloads: what was downloaded (docs/contract/licensing.md#downloads). */
export function listDownloads({
  issuedLicenses,
  downloads,
}: {
  issuedLicenses: Pick<IssuedLicenseStore, 'find'>;
  downloads: Pick<LicenseDownloadStore, 'list'>;
}): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'listDownloads',
    method: 'GET',
    path: '/v1/licenses/{number}/downloads',
    summary: 'List the downloads of a license',
    description: 'Each file counts once a day in UTC. The latest first.',
    errors: ['not_found'],
    params: Type.Object(licenseParams),
    query: Type.Object(pageMembers),
    data: paginated(DownloadSchema, 'LicenseDownloadPage'),
    async handle({ params, query, caller }) {
      const { number } = await issuedLicenses.find(params.number, caller!);
      const found = await downloads.list(number, rangeOf(query));
      const shown = found.downloads.map(({ at, ...download }) => ({
        ...download,
        at: new Date(at).toISOString(),
      }));
      return pageResponse(shown, found.total, query);
    },
  });
}
