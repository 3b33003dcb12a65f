import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Config, databaseUrlOf } from '../../app/config/config.ts';
import type { MediaPlace } from '../../app/open/context.ts';
import { DATABASE_FILE } from '../../app/open/data-folder.ts';
import { OperatorError } from '../../common/errors.ts';
import { silentLog } from '../../common/log.ts';
import { counted, shownBytes } from '../../common/text/shown.ts';
import type { StoreLocation } from '../../engines/sql/setting-store.ts';
import { mediaPlaceAt } from '../backup/place.ts';
import type { Moved } from '../migrate-store.ts';
import { command, outputOf, type Shell, waitPolicyOf } from './shell.ts';
import { notEmpty } from './terminal/arguments.ts';
import { progressBar } from './terminal/progress-bar.ts';

/** The move uses one connection at a time, and one more to read ahead. */
const CONNECTIONS = 4;

export function migrateStoreCommand(shell: Shell): Command {
  return command(shell, 'migrate-store', 'Move the whole catalog into PostgreSQL, or back', {
    description:
      'Moves everything with its ids and numbers: tracks, playlists, clients, keys, licenses, the ' +
      'change log. Then reads and compares both sides. The target must be empty, and nothing else ' +
      'can use it meanwhile. Removes nothing from the source: a service on it may continue, but imports ' +
      'and commands must wait. After a kill, run it again: it continues where it stopped. Audio and ' +
      'artwork are not moved: see `stave migrate-media`.',
    examples: [
      [
        'STAVE_DATABASE_URL=postgres://stave@db.example.com/stave stave migrate-store',
        'from the data folder to PostgreSQL',
      ],
      [
        'stave migrate-store --from postgres://stave@db.example.com/stave --to sqlite:/srv/copy',
        'back, into a new data folder',
      ],
    ],
  })
    .option(
      '--from <place>',
      'sqlite:FOLDER or postgres://…; by default the folder STAVE_DATA',
      notEmpty,
    )
    .option(
      '--to <place>',
      'sqlite:FOLDER or postgres://…; by default STAVE_DATABASE_URL',
      notEmpty,
    )
    .action((options: MoveOptions) => moveStore(shell, options));
}

interface MoveOptions {
  from?: string;
  to?: string;
  json?: boolean;
}

async function moveStore(shell: Shell, options: MoveOptions): Promise<void> {
  const config = shell.readConfig();
  const output = outputOf(shell, options);
  const source = placeOf('--from', options.from) ?? sqliteIn(config.dataFolder);
  const target = placeOf('--to', options.to) ?? databaseOf(config);
  if (JSON.stringify(source) === JSON.stringify(target)) {
    throw new OperatorError('--from and --to are the same place: name two');
  }
  if (source.database === null && !existsSync(join(source.dataFolder, DATABASE_FILE))) {
    throw new OperatorError(
      `there is no catalog in ${source.dataFolder}: name its data folder with --from`,
    );
  }
  const { openStore } = await import('../../app/open/open-store.ts');
  const { migrateStore } = await import('../migrate-store.ts');
  const deps = {
    clock: shell.clock,
    log: silentLog,
    waitPolicy: waitPolicyOf(shell, config),
  };
  const startedAt = shell.clock.now();
  const { lockDataFolder } = await import('../../app/open/data-folder-lock.ts');
  using _lock =
    target.database === null
      ? await lockDataFolder(target.dataFolder, shell.clock, { command: 'stave migrate-store' })
      : undefined;
  const from = await openStore(source, deps);
  const closing = [from];
  const bar = progressBar(output.terminal, shell.clock);
  try {
    const to = await openStore(target, { ...deps, midMigration: true });
    closing.push(to);
    const moved = await migrateStore(from, to, {
      onProgress({ total, moved: records, compared }) {
        // Half of the work is the comparison, which reads the moved rows again.
        bar.show({
          bytesRead: records + compared,
          bytesTotal: 2 * total,
          records,
          unit: 'row',
        });
      },
    });
    bar.clear();
    const seconds = (shell.clock.now() - startedAt) / 1000;
    const places = { from: from.tables.place, to: to.tables.place };
    output.result({ ...places, ...moved, seconds }, () => textOf(moved, places, seconds));
    output.note(
      'audio and artwork are not moved: leave STAVE_DATA as it is, or copy them with `stave migrate-media`',
    );
  } finally {
    bar.clear();
    await Promise.all(closing.map((store) => store.close()));
  }
}

/** The result counts the rows of these tables. By table: the name of one row. */
const COUNTED_TABLES = {
  tracks: 'track',
  playlists: 'playlist',
  clients: 'client',
  licenses: 'license',
  change_log: 'change',
};

function textOf({ tables, rows, sha256 }: Moved, places: Record<'from' | 'to', string>, s: number) {
  const contents = Object.entries(COUNTED_TABLES).map(([table, noun]) =>
    counted(tables[table]!.rows, noun),
  );
  return (
    `${places.from} is in ${places.to}, ${counted(rows, 'row')} in ${s.toFixed(1)} s: ${contents.join(', ')}\n` +
    `both sides are the same, SHA-256 ${sha256}`
  );
}

function databaseOf(config: Config): StoreLocation {
  if (config.database === null) {
    throw new OperatorError('the target is not known: give --to, or set STAVE_DATABASE_URL');
  }
  return postgresAt(config.database.url);
}

function placeOf(option: string, text: string | undefined): StoreLocation | undefined {
  if (text === undefined) {
    return undefined;
  }
  const folder = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (folder !== undefined) {
    return sqliteIn(resolve(folder));
  }
  // The error never shows the text, which may contain a password.
  if (!/^postgres(ql)?:/.test(text)) {
    throw new OperatorError(`${option} must be sqlite:FOLDER or postgres://USER@HOST/DATABASE`);
  }
  try {
    return postgresAt(databaseUrlOf(text));
  } catch (error) {
    throw new OperatorError(`${option} ${(error as Error).message}`, { cause: error });
  }
}

function sqliteIn(dataFolder: string): StoreLocation {
  return { dataFolder, database: null };
}

function postgresAt(url: string): StoreLocation {
  return { dataFolder: '', database: { url, pool: CONNECTIONS } };
}

export function compactCommand(shell: Shell): Command {
  return command(shell, 'compact', 'Write the SQLite database anew without its free space', {
    description:
      'A database that this version has made gives free space back by itself. One of an earlier version does so after ' +
      'this command. Stop the service first. It takes some seconds per gigabyte, and needs free disk space of twice the ' +
      'size of the new file. After a kill, the database is as before.',
    examples: [['stave compact', 'once, if `stave doctor` names this command']],
  }).prints(
    async ({ config, store, clock }) => {
      if (store.compact === undefined) {
        throw new OperatorError('PostgreSQL uses free space again by itself: nothing is to do');
      }
      const { lockDataFolder } = await import('../../app/open/data-folder-lock.ts');
      const { inspectStore, locationOf } = await import('../../app/open/open-store.ts');
      using _lock = await lockDataFolder(config.dataFolder, clock, { command: 'stave compact' });
      const bytes = async () =>
        (await inspectStore(locationOf(config), { log: silentLog })).databaseBytes;
      const bytesBefore = await bytes();
      await store.compact();
      return { bytesBefore, bytes: await bytes() };
    },
    ({ bytesBefore, bytes }) =>
      `the database has ${shownBytes(bytes)}; before, it had ${shownBytes(bytesBefore)}`,
  );
}

/** The exit code if some files were damaged, and of rejected records. */
const SOME_DAMAGED = 2;

export function migrateMediaCommand(shell: Shell): Command {
  return command(shell, 'migrate-media', 'Copy audio and artwork between a folder and a bucket', {
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
      const { mediaPlaceOf, openMediaStore } = await import('../../app/open/context.ts');
      const { copyMediaStore } = await import('../backup/copy.ts');
      const open = (place: MediaPlace) =>
        openMediaStore(place, { clock: shell.clock, log: silentLog });
      const source = givenPlace('--from', options.from) ?? mediaPlaceOf({ ...config, media: null });
      if ('folder' in source && !existsSync(source.folder)) {
        throw new OperatorError(`there is no folder ${source.folder}: name another with --from`);
      }
      const from = await open(source);
      const to = await open(givenPlace('--to', options.to) ?? bucketOf(config));
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

function givenPlace(option: string, text: string | undefined): MediaPlace | undefined {
  return text === undefined ? undefined : mediaPlaceAt(option, text);
}
