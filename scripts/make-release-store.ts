/**
 * Makes the store of this version for the tests of later ones, in test/releases/NAME: a data folder with every table
 * filled, the same store on PostgreSQL as SQL, and what the service answered. Run at a release:
 *
 *     scripts/with-node node scripts/make-release-store.ts 1.0.0
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { DATABASE_FILE } from '../src/app/open/data-folder.ts';
import { MIGRATIONS, versionAfter } from '../src/engines/sql/migrations.ts';
import { Caller } from '../test/cli/caller.ts';
import { everyAnswer } from '../test/cli/every-answer.ts';
import { fillEveryTable, SERVICE } from '../test/cli/every-table.ts';
import { serve, staveProcess, temporaryFolder } from '../test/harness/cli.ts';
import { POSTGRES_BIN } from '../test/harness/postgres-programs.ts';
import { startPostgres } from '../test/harness/postgres-server.ts';
import { startReceiver } from '../test/harness/webhook-receiver.ts';

/** What a store consists of; everything else in a data folder is made again. */
const KEPT = [DATABASE_FILE, 'media'];

const [name] = process.argv.slice(2);
if (name === undefined) throw new Error('give the name of the release');
const root = fileURLToPath(new URL('../', import.meta.url));
const target = join(root, 'test/releases', name);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

using folder = temporaryFolder();
const data = folder.at('data');
const receiver = await startReceiver();
const partner = await fillEveryTable(folder, data, receiver);
const service = await serve(data, SERVICE);
const caller = await Caller.login(service.url, partner.clientId, partner.liveSecret);
const answers = await everyAnswer(caller, partner);
await service.stop();
await receiver.close();

const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const made = { version, commit, schema: versionAfter(MIGRATIONS), partner, answers };
writeCompressed('release.json', Buffer.from(`${JSON.stringify(made, null, 1)}\n`));
const options = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
writeCompressed('data.tar', execFileSync('tar', ['-c', ...options, '-C', data, ...KEPT]));

await using postgres = await startPostgres();
const env = { STAVE_DATABASE_URL: postgres.url };
const { code, stderr } = await staveProcess(data, ['migrate-store'], { env });
if (code !== 0) throw new Error(stderr);
const dump = ['--dbname', postgres.url, '--inserts', '--no-owner', '--no-privileges'];
const sql = execFileSync(join(POSTGRES_BIN!, 'pg_dump'), dump, { encoding: 'utf8' });
// Without the commands that only psql knows.
writeCompressed('postgres.sql', Buffer.from(sql.replace(/^\\.*\n/gm, '')));

function writeCompressed(file: string, bytes: Buffer): void {
  const compressed = gzipSync(bytes, { level: 9 });
  writeFileSync(join(target, `${file}.gz`), compressed);
  process.stdout.write(`${file}.gz: ${compressed.length} bytes of ${bytes.length}\n`);
}
