import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { MediaPlace } from '../house.ts';
import { silentLog } from '../kernel/log.ts';
import { OperatorError } from '../kernel/operator-error.ts';
import { SETTINGS } from '../settings.ts';
import { progressBar } from './progress-bar.ts';
import { command, outputOf, type Shell } from './shell.ts';

/** Some files came to nothing, as some records of an import may. */
const SOME_DAMAGED = 2;

/** `stave migrate-media`. */
export function migrateMediaCommand(shell: Shell): Command {
  return command('migrate-media', 'Copy audio and artwork between a folder and a bucket', {
    description:
      'Copies every file that is not there yet, and checks each by the hash in its name. Nothing is ' +
      'changed or removed where it comes from. A killed run is simply repeated, and another one ' +
      'copies what came in meanwhile. Works beside a running service. Damaged files are left out and ' +
      'named, and the command then exits with 2.',
    examples: [
      [
        'STAVE_MEDIA_URL=s3://bucket/media stave migrate-media',
        'from the data folder to the bucket',
      ],
      ['stave migrate-media --from s3://bucket/media --to /srv/media', 'and back, or elsewhere'],
    ],
  })
    .option('--from <place>', 'a folder or s3://bucket/prefix; by default media in STAVE_DATA')
    .option('--to <place>', 'a folder or s3://bucket/prefix; by default STAVE_MEDIA_URL')
    .action(async (options: { from?: string; to?: string; json?: boolean }) => {
      const config = shell.readConfig();
      const output = outputOf(shell, options);
      const { mediaPlaceOf, openMediaStore } = await import('../house.ts');
      const { copyMediaStore } = await import('../backup/copy-media.ts');
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
            output.warn(`${key} in ${from.place} is not what its name says; left out`),
          ),
        onProgress: ({ files, sizeBytes }) =>
          bar.show({ bytesRead: sizeBytes, bytesTotal: 0, records: files, unit: 'files' }),
      }).finally(() => bar.clear());

      const { files, copied: count, present, damaged, sizeBytes } = copied;
      output.result({ from: from.place, to: to.place, ...copied }, () => {
        const left = damaged.length === 0 ? '' : `, ${damaged.length} damaged ones left out`;
        const megabytes = (sizeBytes / 1e6).toFixed(1);
        return (
          `${files} files in ${from.place}: ${count} copied to ${to.place} (${megabytes} MB), ` +
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
    throw new OperatorError('where to is not known: give --to, or set STAVE_MEDIA_URL');
  }
  return media;
}

/** A place as it is given; undefined where none is. */
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
