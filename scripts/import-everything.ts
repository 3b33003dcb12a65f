// Imports every file of ../shared/data twice into a catalog in a temporary folder, and prints the
// result of each. Exits with 1 after a crash, after a rejection that is not explained below, or if
// the second import changes anything.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '../src/app/open/open-sqlite.ts';
import { systemClock } from '../src/common/clock.ts';
import { openDiskMediaStore } from '../src/engines/blobs/disk/media-store.ts';
import type { Rejection } from '../src/features/import/item.ts';
import type { ImportSummary } from '../src/features/import/options.ts';
import { runImport } from '../src/features/import/run.ts';
import { table } from '../src/operator/cli/terminal/table.ts';

/** Known reasons for rejections of real records. Any other reason fails the script. */
const EXPLAINED: readonly { file: RegExp; reason: RegExp; most: number }[] = [
  // Twenty records of this source have an empty name.
  { file: /freemusi/, reason: /^name: must not be empty$/, most: 20 },
  // Albums, a list of files, and prose, which are not tracks.
  { file: /raw_albums/, reason: /holds no track records/, most: 1 },
  { file: /manifest\.json/, reason: /holds no track records/, most: 1 },
  { file: /SOURCES\.md/, reason: /holds no track records/, most: 1 },
  // The authors of the FLAC testbench made these files faulty on purpose.
  { file: /faulty-10-invalid-vorbis-comment/, reason: /the audio cannot be read/, most: 1 },
  { file: /uncommon-10-file-starting-at-frame/, reason: /the audio cannot be read/, most: 1 },
  // The folder of the archive itself contains no audio.
  { file: /raw$/, reason: /contains no audio files/, most: 1 },
];

const data = fileURLToPath(new URL('../../shared/data', import.meta.url));
const say = (text: string) => process.stdout.write(`${text}\n`);

const folder = await mkdtemp(join(tmpdir(), 'stave-everything-'));
const store = await openSqliteStore({ path: join(folder, 'stave.db'), clock: systemClock });
const media = await openDiskMediaStore({ folder: join(folder, 'media') });
let failures = 0;
try {
  const paths = await everything();
  const rows: string[][] = [];
  const reasons = new Map<string, number>();
  for (const time of ['first', 'again']) {
    for (const path of paths) {
      const { summary, rejections, seconds, crash } = await importOne(path);
      const name = relative(data, path) || '.';
      if (crash !== null) {
        failures++;
        say(`CRASH ${name}: ${crash instanceof Error ? crash.stack : crash}`);
        continue;
      }
      if (time === 'first') {
        rows.push([name, ...countsOf(summary), seconds.toFixed(1)]);
        failures += explain(name, rejections, reasons);
      } else if (summary.created + summary.updated > 0) {
        failures++;
        say(`CHANGED BY THE SECOND IMPORT ${name}: ${JSON.stringify(summary)}`);
      }
    }
  }
  say(table(['path', 'read', 'created', 'updated', 'unchanged', 'rejected', 'seconds'], rows));
  say('');
  say(
    table(
      ['rejected', 'where and why'],
      [...reasons].map(([why, count]) => [`${count}`, why]),
    ),
  );
  const counts = await store.catalog.counts();
  say(`\n${counts.live} live tracks, ${counts.filters} filters; ${failures} failures`);
} finally {
  await store.close();
  await rm(folder, { recursive: true });
}
process.exitCode = failures === 0 ? 0 : 1;

/** Returns every file, then the folders of audio. */
async function everything(): Promise<string[]> {
  const files: string[] = [];
  for (const under of ['.', 'raw', 'audio']) {
    for (const entry of await readdir(join(data, under), { withFileTypes: true })) {
      if (entry.isFile()) {
        files.push(join(data, under, entry.name));
      }
    }
  }
  return [...files.sort(), join(data, 'audio'), join(data, 'raw')];
}

async function importOne(path: string) {
  const rejections: Rejection[] = [];
  const startedAt = performance.now();
  let summary: ImportSummary = { read: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  let crash: unknown = null;
  try {
    summary = await runImport({
      paths: [path],
      catalog: store.catalog,
      trackMessages: store.trackMessages,
      media,
      by: 'system:import-everything',
      clock: systemClock,
      onRejection: (rejection) => rejections.push(rejection),
    });
  } catch (error) {
    crash = error;
  }
  return { summary, rejections, crash, seconds: (performance.now() - startedAt) / 1000 };
}

function countsOf({ read, created, updated, unchanged, rejected }: ImportSummary): string[] {
  return [read, created, updated, unchanged, rejected].map(String);
}

/** Counts the rejections by reason. Returns how many have no explanation. */
function explain(
  name: string,
  rejections: readonly Rejection[],
  reasons: Map<string, number>,
): number {
  const used = new Map<object, number>();
  let unexplained = 0;
  for (const { file, line, field, reason } of rejections) {
    const text = field === '' ? reason : `${field}: ${reason}`;
    const key = `${relative(data, file) || name}: ${text}`;
    reasons.set(key, (reasons.get(key) ?? 0) + 1);
    const cause = EXPLAINED.find((known) => known.file.test(file) && known.reason.test(text));
    const count = cause === undefined ? Number.POSITIVE_INFINITY : (used.get(cause) ?? 0) + 1;
    if (cause === undefined || count > cause.most) {
      unexplained++;
      say(`UNEXPLAINED ${file}:${line ?? ''} ${text}`);
    } else {
      used.set(cause, count);
    }
  }
  return unexplained;
}
