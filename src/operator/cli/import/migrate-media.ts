import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../../app/config/config.ts';
import { SETTINGS } from '../../../app/config/settings.ts';
import type { MediaPlace } from '../../../app/open/context.ts';
import { silentLog } from '../../../common/log.ts';
import { OperatorError } from '../../../common/operator-error.ts';
import { counted } from '../../../common/text/counted.ts';
import { command, outputOf, type Shell } from '../shell.ts';
import { notEmpty } from '../terminal/arguments.ts';
import { progressBar } from '../terminal/progress-bar.ts';

/** Some files were damaged; the exit code is that of rejected records. */
const SOME_DAMAGED = 2;

/** `stave migrate-media`. */
export function migrateMediaCommand(shell: Shell): Command {
  return command('migrate-media', 'Copy audio and artwork between a folder and a bucket', {
    description:
      'Copies every file that the target lacks, and checks each by the hash in its name. Changes and ' +
      'removes nothing in the source. After a kill, run it again; a further run ' +
      'copies new files. The service may run meanwhile. Damaged files are skipped and ' +
      'named, and the command then exits with 2.',
    examples: [
      [
        'STAVE_MEDIA_URL=s3://bucket/media stave migrate-media',
        'from the data folder to the bucket',
      ],
      ['stave migrate-media --from s3://bucket/media --to /srv/media', 'and back, or elsewhere'],
    ],
  })
    .option(
      '--from <place>',
      'a folder or s3://bucket/prefix; by default media in STAVE_DATA',
      notEmpty,
    )
    .option('--to <place>', 'a folder or s3://bucket/prefix; by default STAVE_MEDIA_URL', notEmpty)
    .action(async (options: { from?: string; to?: string; json?: boolean }) => {
      const config = shell.readConfig();
      const output = outputOf(shell, options);
      const { mediaPlaceOf, openMediaStore } = await import('../../../app/open/context.ts');
      const { copyMediaStore } = await import('../../backup/copy-media.ts');
      const open = (place: MediaPlace) =>
        openMediaStore(place, { clock: shell.clock, log: silentLog });
      const source = placeOf('--from', options.from) ?? mediaPlaceOf({ ...config, media: null });
      if ('folder' in source && !existsSync(source.folder)) {
        throw new OperatorError(`there is no folder ${source.folder}: name another with --from`);
      }
      const from = await open(source);
      const to = await open(placeOf('--to', options.to) ?? bucketOf(config));
      if (from.place === to.place) {
        throw new OperatorError(`${from.place} is both --from and --to: name two places`);
      }
      await from.check();
      await to.check();

      const bar = progressBar(output.terminal, shell.clock);
      const copied = await copyMediaStore(from, to, {
        onDamaged: (key) =>
          bar.around(() =>
            output.warn(`${key} in ${from.place} does not match the hash in its name; skipped`),
          ),
        onProgress: ({ files, sizeBytes }) =>
          bar.show({ bytesRead: sizeBytes, bytesTotal: 0, records: files, unit: 'file' }),
      }).finally(() => bar.clear());

      const { files, copied: count, present, damaged, sizeBytes } = copied;
      output.result({ from: from.place, to: to.place, ...copied }, () => {
        const left =
          damaged.length === 0 ? '' : `, ${counted(damaged.length, 'damaged one')} left out`;
        const megabytes = (sizeBytes / 1e6).toFixed(1);
        return (
          `${counted(files, 'file')} in ${from.place}: ${count} copied to ${to.place} (${megabytes} MB), ` +
          `${present} there already${left}`
        );
      });
      if (damaged.length > 0) {
        shell.exitCode = SOME_DAMAGED;
      }
    });
}

function bucketOf({ media }: Config): MediaPlace {
  if (media === null) {
    throw new OperatorError('the target is not known: give --to, or set STAVE_MEDIA_URL');
  }
  return media;
}

/** Parses a place; undefined if none is given. */
function placeOf(option: string, text: string | undefined): MediaPlace | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (!/^s3:\/\//i.test(text)) {
    return { folder: resolve(text) };
  }
  try {
    return SETTINGS.media.parse(text)!;
  } catch (error) {
    throw new OperatorError(`${option} ${(error as Error).message}`, { cause: error });
  }
}
