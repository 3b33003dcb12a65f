import { InvalidArgumentError, Option } from 'commander';
import { MODES, type Mode } from '../../../common/caller.ts';
import { OperatorError } from '../../../common/errors.ts';
import {
  type IssuedLicense,
  LICENSE_STATES,
  type LicenseState,
  licenseCsv,
  licenseState,
  shownAmount,
} from '../../../features/licensing/issued-license.ts';
import type { Store } from '../../../features/store.ts';
import { findTrack } from '../../../features/takedown/find-tracks.ts';
import { type ClientNames, clientNames, pastClientIdOf } from '../../named.ts';
import { command, group, outputOf, withContext } from '../shell.ts';
import { moment, notEmpty, shownTime, wholeNumber, withIsoTimes } from '../terminal/arguments.ts';
import { printText, writeNewFile } from '../terminal/output.ts';
import { facts, listOf } from '../terminal/table.ts';

const DEFAULT_LIMIT = 100;
/** The downloads that `show` shows. */
const MAX_SHOWN_DOWNLOADS = 1_000;
const MAX_REASON = 500;

const SUMMARY = 'Show, revoke and export sold licenses, and import others';

export const licensesCommand = group('licenses', SUMMARY, [
  (shell) =>
    command(shell, 'list', 'List the latest licenses that were sold through the API', {
      hasTable: true,
      examples: [
        ['stave licenses list --mode live', 'the last 100, newest first'],
        ['stave licenses list --track night-drive --state active', 'who may use a track now'],
        ['stave licenses list --since 2026-11-01 --until 2026-11-30', 'those of a month'],
        ['stave licenses list --number 2026-000123', 'those whose number begins so'],
      ],
    })
      .option('-c, --client <client>', 'only of this client, by its id or name', notEmpty)
      .option('-t, --track <slug>', 'only of this track, by slug or id', notEmpty)
      .addOption(new Option('--mode <mode>', 'only of this mode').choices(MODES))
      .addOption(new Option('--state <state>', 'only in this state').choices(LICENSE_STATES))
      .addOption(
        new Option('--status <state>', 'the same as --state')
          .choices(LICENSE_STATES)
          .conflicts('state'),
      )
      .option('--number <prefix>', 'only those whose number begins so, in either case', prefix)
      .option('--since <time>', 'only issued from this day or time (UTC) on', moment('first'))
      .option('--until <time>', 'only issued up to this day or time (UTC)', moment('last'))
      .option('--limit <number>', 'how many', wholeNumber(1, 10_000), DEFAULT_LIMIT)
      .action(async (options: ListOptions) => {
        const now = shell.clock.now();
        const { licenses, names } = await withContext(shell, async ({ store }) => ({
          licenses: await readLicenses(store, options, now),
          names: await clientNames(store),
        }));
        outputOf(shell, options).result(
          licenses.map((license) => licenseForScripts(license, names, now)),
          () =>
            listOf(licenses, 'no licenses', {
              NUMBER: 'number',
              STATE: (license) => licenseState(license, now),
              CLIENT: ({ clientId }) => names.label(clientId),
              TRACKS: ({ terms }) => terms.tracks.length,
              PRICE: priceOf,
              STARTS: 'startsAt',
              ENDS: endOf,
              LICENSEE: ({ terms }) => terms.licensee.name,
            }),
        );
      }),
  (shell) =>
    command(shell, 'show', 'Show a license with its tracks and downloads', {
      hasTable: true,
      examples: [['stave licenses show 2026-000123-7K2QX9MD', 'in either case']],
    })
      .argument('<number>', 'number of the license')
      .action(async (number: string, options) => {
        const now = shell.clock.now();
        const { license, names, downloads, total } = await withContext(
          shell,
          async ({ store }) => ({
            license: await store.issuedLicenses.findAny(number),
            names: await clientNames(store),
            ...(await store.licenseDownloads.list(number.toUpperCase(), {
              offset: 0,
              limit: MAX_SHOWN_DOWNLOADS,
            })),
          }),
        );
        if (license === undefined) throw unknown(number);
        const { takenDown } = license;
        const tracks = license.terms.tracks.map((track) => ({
          ...track,
          takenDown: takenDown.has(track.trackId),
        }));
        const { certificate } = license;
        outputOf(shell, options).result(
          {
            ...licenseForScripts(license, names, now),
            ...{ tracks, certificate, downloadCount: total },
            downloads: downloads.map((download) => withIsoTimes(download)),
          },
          () =>
            `${about(license, names, now)}\n\n${listOf(tracks, '', {
              TRACK: 'trackId',
              NAME: 'name',
              ISRC: 'isrc',
              PRICE: ({ amountMinor }) => shownAmount(amountMinor, license.terms.minorUnit),
              STATE: (track) => (track.takenDown ? 'taken down' : 'live'),
            })}\n\n${listOf(downloads, 'no downloads', {
              DOWNLOADED: 'at',
              TRACK: 'trackId',
              PART: ({ partId }) => partId ?? '',
              FORMAT: 'format',
              BYTES: 'bytes',
            })}${total > downloads.length ? `\nand ${total - downloads.length} earlier ones` : ''}`,
        );
      }),
  (shell) =>
    command(shell, 'revoke', 'Revoke a license', {
      description:
        'Its verification says so at once, it no longer excludes others, and its client is told by webhook. ' +
        'A revocation cannot be undone.',
      examples: [
        ['stave licenses revoke 2026-000123-7K2QX9MD --reason "not paid"', 'the reason is for you'],
      ],
    })
      .argument('<number>', 'number of the license')
      .requiredOption('--reason <text>', 'why; kept with the license', notEmpty)
      .action(async (number: string, options: { reason: string; json?: boolean }) => {
        const { reason } = options;
        if (reason.length > MAX_REASON) {
          throw new OperatorError(`--reason must have at most ${MAX_REASON} characters`);
        }
        const changed = await withContext(shell, async ({ store, by }) => {
          if ((await store.issuedLicenses.findAny(number)) === undefined) throw unknown(number);
          return store.issuedLicenses.revoke(number, { reason, now: shell.clock.now() }, by);
        });
        const shown = number.toUpperCase();
        outputOf(shell, options).result({ number: shown, status: 'revoked', changed }, () =>
          changed ? `revoked ${shown}` : `${shown} was revoked before`,
        );
      }),
  (shell) =>
    command(shell, 'export', 'Export the licenses that were issued within some days as CSV', {
      description:
        'One row (RFC 4180) for each license and track, with the price of the track, the oldest license first. ' +
        'On stdout, control characters are replaced; a file has them as they are.',
      examples: [
        ['stave licenses export --from 2026-11-01 --to 2026-11-30 --out 2026-11.csv', 'a month'],
      ],
    })
      .requiredOption('--from <day>', 'the first day, in UTC', moment('first'))
      .requiredOption('--to <day>', 'the last day, in UTC', moment('last'))
      .option('-c, --client <client>', 'only of this client, by its id or name', notEmpty)
      .addOption(new Option('--mode <mode>', 'the mode').choices(MODES).default('live'))
      .option('--out <file>', 'write to this file, which must not exist', notEmpty)
      .action(
        async (options: {
          from: number;
          to: number;
          client?: string;
          mode: Mode;
          out?: string;
          json?: boolean;
        }) => {
          const { from, to, mode, out, json } = options;
          if (from > to) throw new OperatorError('--from must not be after --to');
          if (json === true && out === undefined) throw new OperatorError('--json needs --out');
          await withContext(shell, async ({ store }) => {
            const now = shell.clock.now();
            const clientId = await pastClientIdOf(store, options.client);
            await refuseUnknownBuyer(store, clientId, now);
            const filter = { from, to, mode, clientId, now };
            const names = await clientNames(store);
            const licenses = store.issuedLicenses.records(filter);
            const text = licenseCsv(licenses, (id) => names.of(id));
            return out === undefined ? printText(text, shell) : writeNewFile(out, text);
          });
          if (out === undefined) return;
          outputOf(shell, { json: json === true }).result({ file: out }, () => `wrote ${out}`);
        },
      ),
  (shell) =>
    command(
      shell,
      'import',
      'Import licenses that were sold elsewhere, which determine popularity',
      {
        description:
          'One JSON object per line: {"externalId", "track", "mode", "licensedAt", "client"?}; `track` ' +
          'is a slug or an id. A license whose externalId exists is corrected or stays as it ' +
          'is. Exits with 2 if a record was rejected.',
        examples: [['stave licenses import sold-2026-11.ndjson', 'repeating it changes nothing']],
      },
    )
      .argument('<path...>', 'NDJSON, JSON or CSV, .gz of each, or .xlsx')
      .option('--rejects <file>', 'write every rejection to this file, as NDJSON', notEmpty)
      .action(async (paths: string[], { json, ...options }) => {
        const { importLicenses } = await import('../import/import.ts');
        shell.exitCode = await withContext(shell, (context) =>
          importLicenses(paths, context, outputOf(shell, { json }), options),
        );
      }),
]);

interface ListOptions {
  client?: string;
  track?: string;
  mode?: Mode;
  state?: LicenseState;
  status?: LicenseState;
  number?: string;
  since?: number;
  until?: number;
  limit: number;
  json?: boolean;
}

/** Throws as `refuseUnknownBuyer`. */
async function readLicenses(
  store: Store,
  options: ListOptions,
  now: number,
): Promise<IssuedLicense[]> {
  const { track, mode, since, until, number: numberPrefix } = options;
  const trackId = track === undefined ? undefined : (await findTrack(store, track)).track.id;
  const clientId = await pastClientIdOf(store, options.client);
  const status = options.state ?? options.status;
  const licenses = await store.issuedLicenses.latest(options.limit, {
    ...{ clientId, trackId, mode, status, numberPrefix, from: since, to: until, now },
  });
  if (licenses.length === 0) await refuseUnknownBuyer(store, clientId, now);
  return licenses;
}

/** Throws OperatorError for a client that neither exists nor has licenses: those of a deleted client stay. */
async function refuseUnknownBuyer(
  store: Store,
  clientId: string | undefined,
  now: number,
): Promise<void> {
  if (clientId === undefined || (await store.clients.get(clientId)) !== undefined) return;
  if ((await store.issuedLicenses.latest(1, { clientId, now })).length > 0) return;
  throw new OperatorError(`There is no client ${clientId}, and none had licenses under this id.`);
}

/** Parses the beginning of a license number. */
function prefix(text: string): string {
  if (!/^[\dA-Z-]{1,40}$/i.test(text)) {
    throw new InvalidArgumentError(
      'It must be the beginning of a number such as 2026-000123-7K2QX9MD.',
    );
  }
  return text.toUpperCase();
}

function unknown(number: string): OperatorError {
  return new OperatorError(
    `There is no license ${number}; \`stave licenses list\` shows the latest ones.`,
  );
}

function priceOf(license: IssuedLicense): string {
  return `${shownAmount(license.amountMinor, license.terms.minorUnit)} ${license.currency}`;
}

function endOf({ endsAt }: IssuedLicense): string {
  return endsAt === null ? 'never' : shownTime(endsAt);
}

function about(license: IssuedLicense, names: ClientNames, now: number): string {
  const { terms, revokedAt, reason } = license;
  const { licensee, project } = terms;
  return facts([
    ['number', license.number],
    ['state', licenseState(license, now)],
    ['mode', license.mode],
    ['client', names.label(license.clientId)],
    ['client id', license.clientId],
    ['licensee', [licensee.name, licensee.country, licensee.email ?? ''].join(' ').trim()],
    ['project', project.name],
    ['reference', project.reference ?? ''],
    ['production', project.productionId ?? ''],
    ['purchase order', terms.purchaseOrder ?? ''],
    ['media', terms.media.join(', ')],
    ['territories', terms.territories.join(', ')],
    ['exclusive', terms.exclusive ? 'yes' : 'no'],
    ['price', priceOf(license)],
    ['terms', `${terms.termsVersion} (${terms.termsUrl})`],
    ['issued', shownTime(license.issuedAt)],
    ['starts', shownTime(license.startsAt)],
    ['ends', endOf(license)],
    ['revoked', revokedAt === null ? '' : `${shownTime(revokedAt)}: ${reason}`],
  ]);
}

export function licenseForScripts(license: IssuedLicense, names: ClientNames, now: number) {
  const { number, mode, clientId, terms, amountMinor, currency, reason } = license;
  const { issuedAt, startsAt, endsAt, revokedAt } = license;
  return {
    ...{ number, status: licenseState(license, now), mode, clientId },
    clientName: names.of(clientId),
    ...terms,
    ...{ amountMinor, currency },
    ...withIsoTimes({ issuedAt, startsAt, endsAt, revokedAt }),
    reason,
  };
}
