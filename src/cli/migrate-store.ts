import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { DATABASE_FILE } from '../data-folder.ts';
import { silentLog } from '../kernel/log.ts';
import { OperatorError } from '../kernel/operator-error.ts';
import type { Moved } from '../migrate-store/migrate-store.ts';
import type { StoreLocation } from '../open-store.ts';
import { SETTINGS } from '../settings.ts';
import { progressBar } from './progress-bar.ts';
import { command, outputOf, type Shell } from './shell.ts';

/** Slices come one after the other; one connection more looks ahead. */
const CONNECTIONS = 4;

/** `stave migrate-store`. */
export function migrateStoreCommand(shell: Shell): Command {
  return command('migrate-store', 'Move the whole catalog into PostgreSQL, or back', {
    description:
      'Everything is moved with its ids and numbers: tracks, playlists, clients, keys, licences, the ' +
      'change log. Then both sides are read and compared. The target must be empty, and nothing else ' +
      'can use it meanwhile. Nothing is removed from the source: a service on it may go on, imports ' +
      'and commands must wait. A killed run is simply repeated and goes on where it was. Audio and ' +
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
    .option('--from <place>', 'sqlite:FOLDER or postgres://…; by default the folder STAVE_DATA')
    .option('--to <place>', 'sqlite:FOLDER or postgres://…; by default STAVE_DATABASE_URL')
    .action(async (options: { from?: string; to?: string; json?: boolean }) => {
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
      const { openStore } = await import('../open-store.ts');
      const { migrateStore } = await import('../migrate-store/migrate-store.ts');
      const deps = { clock: shell.clock, log: silentLog };
      const startedAt = shell.clock.now();
      const from = await openStore(source, deps);
      const closing = [from];
      const bar = progressBar(output.terminal, shell.clock);
      try {
        const to = await openStore(target, { ...deps, midMigration: true });
        closing.push(to);
        const moved = await migrateStore(from, to, {
          clock: shell.clock,
          onProgress({ total, moved: records, compared }) {
            // Of the work, half is reading again what was moved.
            bar.show({
              bytesRead: records + compared,
              bytesTotal: 2 * total,
              records,
              unit: 'rows',
            });
          },
        });
        bar.clear();
        const seconds = (shell.clock.now() - startedAt) / 1000;
        const places = { from: from.tables.place, to: to.tables.place };
        output.result({ ...places, ...moved, seconds }, () => told(moved, places, seconds));
        output.note(
          'audio and artwork stay where they are: leave STAVE_DATA as it is, or move them with `stave migrate-media`',
        );
      } finally {
        bar.clear();
        await Promise.all(closing.map((store) => store.close()));
      }
    });
}

function told({ tables, rows, sha256 }: Moved, places: Record<'from' | 'to', string>, s: number) {
  const counted = ['tracks', 'playlists', 'clients', 'licences', 'change_log'].map(
    (name) => `${tables[name]!.rows} ${name === 'change_log' ? 'changes' : name}`,
  );
  return (
    `${places.from} is in ${places.to}, ${rows} rows in ${s.toFixed(1)} s: ${counted.join(', ')}\n` +
    `both sides are the same, SHA-256 ${sha256}`
  );
}

function databaseOf(config: Config): StoreLocation {
  if (config.database === null) {
    throw new OperatorError('where to is not known: give --to, or set STAVE_DATABASE_URL');
  }
  return postgresAt(config.database.url);
}

/** A place as it is given; undefined where none is. */
function placeOf(option: string, text: string | undefined): StoreLocation | undefined {
  if (text === undefined) {
    return undefined;
  }
  const folder = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (folder !== undefined) {
    return sqliteIn(resolve(folder));
  }
  try {
    return postgresAt(SETTINGS.database.parse(text)!);
  } catch (error) {
    // Never shows the text: it may hold a password.
    throw new OperatorError(`${option} must be sqlite:FOLDER or postgres://USER@HOST/DATABASE`, {
      cause: error,
    });
  }
}

function sqliteIn(dataFolder: string): StoreLocation {
  return { dataFolder, database: null };
}

function postgresAt(url: string): StoreLocation {
  return { dataFolder: '', database: { url, replicaUrl: null, pool: CONNECTIONS } };
}
