import type { Command } from 'commander';
import { parseKeep } from '../../app/config/backup-schedule.ts';
import type { Config } from '../../app/config/config.ts';
import type { AppContext, MediaPlace } from '../../app/open/context.ts';
import { OperatorError } from '../../common/errors.ts';
import { silentLog } from '../../common/log.ts';
import { counted, shownBytes } from '../../common/text/shown.ts';
import { type Manifest, sizeOf, tracksOf } from '../backup/manifest.ts';
import { mediaPlaceAt } from '../backup/place.ts';
import type { Repository } from '../backup/repository.ts';
import type { Verified } from '../backup/verify.ts';
import { command, openAppContext, outputOf, type Shell, withContext } from './shell.ts';
import { accepted, notEmpty } from './terminal/arguments.ts';
import { progressBar } from './terminal/progress-bar.ts';
import { table } from './terminal/table.ts';

export function backupCommand(shell: Shell): Command {
  return command(shell, 'backup', 'Add a backup of the database, keys and media to a folder', {
    description:
      'The folder, or the place in a bucket, is new or has earlier backups of this catalog. All of ' +
      'them share the media, so a further backup copies only new files. The service and imports continue ' +
      'meanwhile. The copy of a database in PostgreSQL is one in SQLite. Media in a bucket stays there, and the backup names it. The backups hold keys and ' +
      'secrets: keep them as safe as the data folder.',
    examples: [
      ['stave backup /backups/stave', 'all earlier backups are kept'],
      [
        'stave backup /backups/stave --keep daily=7,weekly=5,monthly=12',
        'removes what is older, for a timer',
      ],
      ['stave backup s3://bucket/backups', 'into a bucket'],
    ],
  })
    .argument('<path>', 'the folder, or s3://bucket/prefix')
    .option(
      '--keep <numbers>',
      'of how many days, weeks and months (UTC) one backup each is kept; by default, all are kept',
      accepted(parseKeep),
    )
    .addCommand(listCommand(shell))
    .addCommand(verifyCommand(shell))
    .addCommand(restoreCommand(shell, 'stave backup restore'))
    .action(async (path: string, options) => {
      const place = mediaPlaceAt('the path', path);
      const output = outputOf(shell, options);
      const { takeBackup } = await import('../backup/take-backup.ts');
      const { manifest, copied, removed } = await withContext(shell, (context) =>
        takeBackup(context, place, {
          openCopy: opener(shell, context.config),
          keep: options.keep,
          onWait: (message) => output.note(message),
        }),
      );
      if (manifest.lostMedia.length > 0) {
        output.warn(
          `${counted(manifest.lostMedia.length, 'media file that the catalog names is', 'media files that the catalog names are')} missing or damaged and not in the backup (see \`stave doctor\`)`,
        );
      }
      if (manifest.mediaPlace !== undefined) {
        output.note(`audio and artwork stay in ${manifest.mediaPlace}; they are not in the backup`);
      }
      output.result(
        {
          path: nameOf(place),
          ...summary(manifest),
          copied: { files: copied.copied, sizeBytes: copied.sizeBytes },
          removed,
        },
        () =>
          `${textOf(`backed up to ${nameOf(place)}`, manifest)}, ${counted(copied.copied, 'file')} of them new` +
          (removed.length > 0 ? `; ${counted(removed.length, 'older backup')} removed` : ''),
      );
    });
}

function listCommand(shell: Shell): Command {
  return command(shell, 'list', 'List the backups in a folder', {
    hasTable: true,
    examples: [['stave backup list /backups/stave', 'the newest first']],
  })
    .argument('<path>', 'the folder, or s3://bucket/prefix')
    .action(async (path: string, options) => {
      const { readBackups } = await import('../backup/repository.ts');
      const repository = await existing(shell, path);
      const { backups, unreadable } = await readBackups(repository);
      const output = outputOf(shell, options);
      for (const { key, problem } of unreadable) {
        output.warn(`a backup cannot be read (${key}: ${problem})`);
      }
      output.result(
        backups.map(({ manifest }) => summary(manifest)),
        () =>
          table(
            ['Backup', 'Tracks', 'Clients', 'Media', 'Size', 'Lost media'],
            backups.map(({ manifest }) => [
              manifest.createdAt,
              String(tracksOf(manifest)),
              String(manifest.counts.clients),
              String(manifest.counts.media),
              shownBytes(sizeOf(manifest)),
              String(manifest.lostMedia.length),
            ]),
          ),
      );
    });
}

/** The exit code if a backup has a problem. */
const SOME_DAMAGED = 2;

function verifyCommand(shell: Shell): Command {
  return command(shell, 'verify', 'Check that every backup in a folder can be restored', {
    description:
      'Every file of every backup must be there with its length. Changes nothing. Exits with 2 if a file is missing or damaged.',
    examples: [
      ['stave backup verify /backups/stave', 'reads the names and lengths of the files'],
      ['stave backup verify /backups/stave --deep', 'reads all files, once each'],
    ],
  })
    .argument('<path>', 'the folder, or s3://bucket/prefix')
    .option('--deep', 'also compare the content of every file with its hash')
    .action(async (path: string, options: { deep?: boolean; json?: boolean }) => {
      const { verify } = await import('../backup/verify.ts');
      const repository = await existing(shell, path);
      const output = outputOf(shell, options);
      const bar = progressBar(output.terminal, shell.clock);
      let [records, bytesRead] = [0, 0];
      const verified = await verify(repository, {
        deep: options.deep === true,
        onFile(sizeBytes) {
          records++;
          bytesRead += sizeBytes;
          bar.show({ bytesRead, bytesTotal: 0, records, unit: 'file' });
        },
      }).finally(() => bar.clear());
      output.result({ path: repository.place, ...verified }, () => verifiedText(verified));
      if (verified.problems.length > 0) shell.exitCode = SOME_DAMAGED;
    });
}

function verifiedText({ backups, files, sizeBytes, problems }: Verified): string {
  const what = `${counted(backups, 'backup')} with ${counted(files, 'file')}, ${shownBytes(sizeBytes)}`;
  if (problems.length === 0) return `${what}: all is there`;
  const lines = problems.map(
    ({ file, problem, backups: needing }) =>
      `${file}: ${problem}${needing.length > 0 ? `, in ${counted(needing.length, 'backup')}, the newest of ${needing[0]}` : ''}`,
  );
  return `${lines.join('\n')}\n${what}: ${counted(problems.length, 'problem')}. Remove the damaged files: the next backup copies the media again that the catalog still has.`;
}

/** @param name in the examples; the command has two */
export function restoreCommand(shell: Shell, name = 'stave restore'): Command {
  return command(shell, 'restore', 'Put a backup in place as the data folder', {
    description:
      'STAVE_DATA names the folder, which must not hold a catalog yet. Every checksum is verified ' +
      'before anything is put in place. All sessions and sign-in links of seats end. From there, `stave migrate-store` moves the catalog to PostgreSQL.',
    examples: [
      [`STAVE_DATA=/var/lib/stave ${name} /backups/stave`, 'the newest, on a new machine'],
      [`${name} /backups/stave --backup 2026-11-21`, 'the newest of that day'],
      [
        `STAVE_DATA=/var/lib/stave ${name} /backups/stave --log-of /var/lib/stave-old`,
        'also ends the links that had ended since',
      ],
    ],
  })
    .argument('<path>', 'the folder to which `stave backup` wrote, or s3://bucket/prefix')
    .option(
      '--backup <time>',
      'which backup: its time as `stave backup list` shows it, or the beginning of it',
      notEmpty,
    )
    .option(
      '--log-of <folder>',
      'the data folder before the restore, which stays as it is: also end the links to collections that its log shows as ended',
      notEmpty,
    )
    .action(async (path: string, options: { backup?: string; logOf?: string; json?: boolean }) => {
      const config = shell.readConfig();
      refuseServer(config);
      const { chooseBackup } = await import('../backup/repository.ts');
      const { restoreBackup } = await import('../backup/restore-backup.ts');
      const repository = await existing(shell, path);
      const { manifest } = await chooseBackup(repository, options.backup);
      const { endedLinks } = await restoreBackup(repository, manifest, config.dataFolder, {
        clock: shell.clock,
        openCopy: opener(shell, config),
        logOf: options.logOf,
      });
      const output = outputOf(shell, options);
      if (manifest.mediaPlace !== undefined) {
        output.note(
          `audio and artwork are in ${manifest.mediaPlace}: STAVE_MEDIA_URL must name it, or its copy`,
        );
      } else if (config.media !== null && manifest.counts.media > 0) {
        output.note(
          `audio and artwork are in ${config.dataFolder} now: \`stave migrate-media\` copies them to STAVE_MEDIA_URL`,
        );
      }
      output.result(
        {
          ...{ path: repository.place, dataFolder: config.dataFolder, ...summary(manifest) },
          ...(options.logOf !== undefined && { endedLinks }),
        },
        () =>
          textOf(`restored to ${config.dataFolder}, as of ${manifest.createdAt}`, manifest) +
          (options.logOf === undefined
            ? ''
            : `; ${counted(endedLinks, 'link')} to collections ended, as the log of ${options.logOf} shows`),
      );
    });
}

/** Opens the backups at a place that has some. */
async function existing(shell: Shell, path: string): Promise<Repository> {
  const { openExisting } = await import('../backup/repository.ts');
  return openExisting(mediaPlaceAt('the path', path), { clock: shell.clock, log: silentLog });
}

function refuseServer({ database }: Config): void {
  if (database !== null) {
    throw new OperatorError(
      'a backup is restored into a folder: unset STAVE_DATABASE_URL for that, then set it again to an empty database and run `stave migrate-store`',
    );
  }
}

/** Copies are in SQLite, also those of a database on a server. */
function opener(shell: Shell, config: Config): (dataFolder: string) => Promise<AppContext> {
  return (dataFolder) => openAppContext(shell, { ...config, database: null, dataFolder });
}

function nameOf(place: MediaPlace): string {
  return 'folder' in place ? place.folder : `s3://${place.bucket}/${place.prefix}`;
}

function summary(manifest: Manifest): object {
  const { createdAt, staveVersion, counts, mediaPlace, lostMedia } = manifest;
  return {
    createdAt,
    staveVersion,
    counts,
    ...(mediaPlace !== undefined && { mediaPlace }),
    // The database is one more file.
    files: counts.media + 1,
    sizeBytes: sizeOf(manifest),
    lostMedia,
  };
}

function textOf(what: string, manifest: Manifest): string {
  const { counts } = manifest;
  const megabytes = (sizeOf(manifest) / 1e6).toFixed(1);
  return (
    `${what}: ${counted(tracksOf(manifest), 'track')}, ${counted(counts.playlists, 'playlist')}, ` +
    `${counted(counts.clients, 'client')}, ${counted(counts.media, 'media file')}, ${megabytes} MB`
  );
}
