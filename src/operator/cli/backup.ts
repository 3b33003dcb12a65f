import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../app/config/config.ts';
import type { AppContext } from '../../app/open/context.ts';
import { OperatorError } from '../../common/errors.ts';
import { counted } from '../../common/text/shown.ts';
import type { Manifest } from '../backup/manifest.ts';
import { command, openAppContext, outputOf, type Shell, withContext } from './shell.ts';

export function backupCommand(shell: Shell): Command {
  return command(shell, 'backup', 'Copy the database, keys and media into a new folder', {
    description:
      'The service and imports continue meanwhile. Media in a bucket stays there, and the ' +
      'backup names it. It backs up a catalog in the data folder; PostgreSQL has its own tools. The folder holds keys and secrets: ' +
      'keep it as safe as the data folder. A finished backup has a manifest.json.',
    examples: [
      ['stave backup /backups/stave-2026-11-21', 'the folder must be new or empty'],
      ['stave backup /backups/today --json', 'what was copied, for a script'],
    ],
  })
    .argument('<path>', 'the new folder')
    .action(async (path: string, options) => {
      const folder = resolve(path);
      refuseServer(shell.readConfig());
      const output = outputOf(shell, options);
      const { takeBackup } = await import('../backup/take-backup.ts');
      const manifest = await withContext(shell, (context) =>
        takeBackup(context, folder, opener(shell, context.config)),
      );
      if (manifest.lostMedia.length > 0) {
        output.warn(
          `${counted(manifest.lostMedia.length, 'media file that the catalog names is', 'media files that the catalog names are')} missing or damaged and not in the backup (see \`stave doctor\`)`,
        );
      }
      if (manifest.mediaPlace !== undefined) {
        output.note(`audio and artwork stay in ${manifest.mediaPlace}; they are not in the backup`);
      }
      output.result({ path: folder, ...summary(manifest) }, () =>
        textOf(`backed up to ${folder}`, manifest),
      );
    });
}

export function restoreCommand(shell: Shell): Command {
  return command(shell, 'restore', 'Put a backup in place as the data folder', {
    description:
      'STAVE_DATA names the folder, which must not hold a catalog yet. Every checksum is verified ' +
      'before anything is put in place.',
    examples: [
      ['STAVE_DATA=/var/lib/stave stave restore /backups/stave-2026-11-21', 'on a new machine'],
    ],
  })
    .argument('<path>', 'the folder that `stave backup` made')
    .action(async (path: string, options) => {
      const config = shell.readConfig();
      refuseServer(config);
      const { restoreBackup } = await import('../backup/restore-backup.ts');
      const manifest = await restoreBackup(resolve(path), config.dataFolder, {
        clock: shell.clock,
        openCopy: opener(shell, config),
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
        { path: resolve(path), dataFolder: config.dataFolder, ...summary(manifest) },
        () => textOf(`restored to ${config.dataFolder}`, manifest),
      );
    });
}

/** Both commands work on the files of the embedded store. A database server has its own tools. */
function refuseServer({ database }: Config): void {
  if (database !== null) {
    throw new OperatorError(
      'A catalog in PostgreSQL is backed up and restored with its own tools (docs/operations.md); unset STAVE_DATABASE_URL for one in the data folder.',
    );
  }
}

function opener(shell: Shell, config: Config): (dataFolder: string) => Promise<AppContext> {
  return (dataFolder) => openAppContext(shell, { ...config, dataFolder });
}

function summary(manifest: Manifest): object {
  const { createdAt, staveVersion, counts, mediaPlace, files, lostMedia } = manifest;
  return {
    createdAt,
    staveVersion,
    counts,
    ...(mediaPlace !== undefined && { mediaPlace }),
    files: files.length,
    sizeBytes: size(files),
    lostMedia,
  };
}

function textOf(what: string, { counts, files }: Manifest): string {
  const tracks = counts.live + counts.takenDown + counts.withdrawn + counts.unavailable;
  const megabytes = (size(files) / 1e6).toFixed(1);
  return (
    `${what}: ${counted(tracks, 'track')}, ${counted(counts.playlists, 'playlist')}, ` +
    `${counted(counts.clients, 'client')}, ${counted(counts.media, 'media file')}, ${megabytes} MB`
  );
}

function size(files: Manifest['files']): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
