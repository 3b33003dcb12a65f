import { rmSync } from 'node:fs';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DATABASE_FILE } from '../../src/app/open/data-folder.ts';
import { MIGRATIONS, versionAfter } from '../../src/engines/sql/migrations.ts';
import { nameOf } from '../../src/engines/sql/postgres/link/address.ts';
import { Caller } from '../cli/caller.ts';
import { everyAnswer } from '../cli/every-answer.ts';
import { SERVICE } from '../cli/every-table.ts';
import { newDatabase, removePlacesAfterTests } from '../cli/migrate-store-support.ts';
import { postgresRows, type Rows, sqliteRows } from '../cli/stored-rows.ts';
import {
  serve,
  stave,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { LICENSEE, quoteBody } from '../harness/licensing.ts';
import { POSTGRES_URL } from '../harness/services.ts';
import {
  fillPostgres,
  hasProgram,
  type ReleaseStore,
  releaseStores,
  unpackData,
  unpackProgram,
} from './release-stores.ts';

const KNOWN = versionAfter(MIGRATIONS);
/** The oldest schema whose program may use a PostgreSQL database of this version. */
const COMPATIBLE_FROM = MIGRATIONS.at(-1)!.compatibleFrom;

/** The responses that are not compared, with the reason. */
const NOT_COMPARED: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^\/v1\/quotes/, 'quotes expire and are deleted'],
  [/^\/v1\/usage\/summary/, 'it shows the last days'],
  [/\/deliveries\b/, 'messages are deleted after some days'],
  [/\.pdf$/, 'a later version may draw it differently'],
  [/\/cue-sheet\.csv/, 'a later version may add columns at the end'],
];
/** The members that are not compared, with the reason. */
const MEMBERS_NOT_COMPARED: Readonly<Record<string, string>> = {
  status: 'a license ends',
  valid: 'a license ends',
  alg: 'keys are published without it since schema 42',
};
/** The tables whose rows are not compared, with the reason. */
const TABLES_NOT_COMPARED: Readonly<Record<string, string>> = {
  stave_schema: 'contains the version of the schema',
};

removePlacesAfterTests();

let folder: TemporaryFolder;
let data: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = folder.at('data');
});
afterEach(() => folder[Symbol.dispose]());

/** The status and the members of an answer; the text of one that is not JSON. */
function parsed(answer: string | undefined): object {
  const [, status, text = ''] = /^(\d+) (.*)$/s.exec(answer ?? '') ?? [];
  if (!text.startsWith('{')) return { status, text };
  const body = JSON.parse(text, (name, value) =>
    name in MEMBERS_NOT_COMPARED ? undefined : value,
  );
  return { responseStatus: status, ...body };
}

/** The rows of a table with the columns that it had before, sorted. */
function withColumns(rows: Rows, columns: readonly string[]): string[] {
  return rows.map((row) => JSON.stringify(columns.map((name) => row[name]))).sort();
}

/** Unpacks the store of a release. Returns the settings for it. */
async function openRelease(
  release: ReleaseStore,
  database: string,
): Promise<Record<string, string>> {
  unpackData(release, data);
  if (database === 'SQLite') return {};
  rmSync(folder.at('data', DATABASE_FILE));
  const url = await newDatabase();
  await fillPostgres(release, url);
  return { STAVE_DATABASE_URL: url };
}

const DATABASES = ['SQLite', ...(POSTGRES_URL === undefined ? [] : ['PostgreSQL'])];

describe.each(releaseStores())('the store of $name', (release: ReleaseStore) => {
  it.each(DATABASES)('is upgraded on %s without a loss, and serves what it served', async (on) => {
    const env = await openRelease(release, on);
    const url = env.STAVE_DATABASE_URL;
    const rows = async () => (url === undefined ? sqliteRows(data) : postgresRows(url));
    const command = (...args: string[]) => stave(data, [...args, '--json'], { env });
    const before = await rows();

    const missing = KNOWN - release.schema;
    const check = await command('upgrade', '--check');
    expect([check.code, check.json.steps.length]).toEqual([missing > 0 ? 3 : 0, missing]);
    expect(await command('clients', 'list')).toMatchObject({ code: 0 });
    const state = { state: 'current', version: KNOWN, steps: [] };
    expect(await command('upgrade', '--check')).toMatchObject({ code: 0, json: state });
    const after = await rows();
    for (const [table, former] of Object.entries(before)) {
      if (table in TABLES_NOT_COMPARED) continue;
      const columns = Object.keys(former[0] ?? {});
      expect(withColumns(after[table] ?? [], columns), table).toEqual(withColumns(former, columns));
    }
    expect(await command('doctor')).toMatchObject({ code: 0, json: { healthy: true } });

    await using service = await serve(data, { ...SERVICE, ...env });
    await expectAnswers(release, service.url);
    expect(await service.stop()).toBe(0);
  });

  describe.skipIf(!hasProgram(release))('and its program', () => {
    it.each(DATABASES)('after an upgrade on %s', async (on) => {
      const env = await openRelease(release, on);
      const url = env.STAVE_DATABASE_URL;
      const main = unpackProgram(release, folder.at('program'));
      const old = (path: string, ...args: string[]) => staveProcess(path, args, { main, env });
      const backup = folder.at('backup');
      if (on === 'SQLite') expect(await old(data, 'backup', backup)).toMatchObject({ code: 0 });
      expect(await stave(data, ['clients', 'list'], { env })).toMatchObject({ code: 0 });

      const ran = await old(data, 'clients', 'list');
      const isUsable = release.schema >= (on === 'SQLite' ? KNOWN : COMPATIBLE_FROM);
      if (isUsable) {
        expect(ran).toMatchObject({ code: 0, stderr: '' });
      } else {
        const place = url === undefined ? folder.at('data', DATABASE_FILE) : nameOf(url);
        const stderr = `stave: The database ${place} was written by a newer version of Stave (schema ${KNOWN}, this one knows ${release.schema}): run that version, or restore a backup.\n`;
        expect(ran).toMatchObject({ code: 1, stdout: '', stderr });
      }
      if (on !== 'SQLite') return;
      const restored = folder.at('restored');
      expect(await old(restored, 'restore', backup)).toMatchObject({ code: 0 });
      expect((await old(restored, 'clients', 'list')).stdout).toContain(release.partner.clientId);
    });
  });
});

/** Expects a service to answer what it answered before the upgrade, and to continue. */
async function expectAnswers({ partner, answers: former }: ReleaseStore, url: string) {
  const caller = await Caller.login(url, partner.clientId, partner.liveSecret);
  const answers = await everyAnswer(caller, partner);
  const compared = Object.keys(former).filter(
    (path) => !NOT_COMPARED.some(([form]) => form.test(path)),
  );
  expect(compared.length).toBeGreaterThan(25);
  for (const path of compared) {
    expect(parsed(answers[path]), path).toMatchObject(parsed(former[path]));
  }
  const { body } = await caller.send('GET', '/.well-known/jwks.json');
  const keys = createLocalJWKSet(JSON.parse(body.toString()) as JSONWebKeySet);
  const { certificate, number } = partner.license;
  const verified = await jwtVerify(certificate, keys, { typ: 'license+jwt' });
  expect(verified.payload.jti).toBe(number);
  const quote = await caller.write('POST', '/v1/quotes', quoteBody({ tracks: ['track-6'] }));
  const { id: quoteId, termsVersion } = quote;
  const request = { quoteId, termsVersion, licensee: LICENSEE };
  const license = await caller.write('POST', '/v1/licenses', request);
  expect(license.number).not.toBe(number);
  expect(license.number).toMatch(/^20\d\d-\d{6}-/);
}
