import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { MIGRATIONS, versionAfter } from '../../src/engines/sql/migrations.ts';
import { FIRST_VERSION } from '../../src/engines/sql/schema.ts';
import {
  environment,
  stave,
  staveJson,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { makeNextRelease } from '../scenarios/cluster/next-release.ts';

const KNOWN = versionAfter(MIGRATIONS);

/** The steps of a next release: one that changes what exists, and one that only adds. */
const NEXT_STEPS = [
  {
    summary: 'what each quote is for',
    sql: `
-- Filled from the quotes.
CREATE TABLE quote_uses (quote_row_id integer NOT NULL, media text);
ALTER TABLE issued_license_tracks ADD COLUMN medium text NOT NULL DEFAULT 'online';
ALTER TABLE quotes ADD COLUMN production_id text;
UPDATE quotes SET production_id = 'none';
CREATE INDEX quotes_of_client_now ON quotes (client_id, mode, id);
DROP INDEX quotes_of_client;
CREATE INDEX tracks_with_iswc ON tracks (iswc) WHERE iswc IS NOT NULL;
`,
    sqlite: `
INSERT INTO quote_uses (quote_row_id, media) SELECT row_id, json_extract(request, '$.media') FROM quotes;
UPDATE issued_licenses SET production_id = json_extract(document, '$.project.productionId');
`,
    postgres: `
INSERT INTO quote_uses (quote_row_id, media) SELECT row_id, request::jsonb ->> 'media' FROM quotes;
UPDATE issued_licenses SET production_id = document::jsonb #>> '{project,productionId}';
`,
  },
  {
    summary: 'the reasons of quotes',
    sql: `
CREATE TABLE quote_reasons (quote_row_id integer NOT NULL, reason text NOT NULL);
CREATE INDEX quote_reasons_by_quote ON quote_reasons (quote_row_id);
`,
  },
];

let folder: TemporaryFolder;
let data: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = folder.at('data');
});
afterEach(() => folder[Symbol.dispose]());

const check = (...args: string[]) => stave(data, ['upgrade', '--check', ...args]);

/** The database of the data folder, without its stores. */
function open() {
  mkdirSync(data, { recursive: true });
  const location = ON_POSTGRES
    ? environment(data).STAVE_DATABASE_URL!
    : folder.at('data', 'stave.db');
  return openDatabase({ isServer: ON_POSTGRES }, location, systemClock);
}

describe('stave upgrade --check', () => {
  it('has nothing to do for a database that does not exist, and makes none', async () => {
    const ran = await check('--json');
    expect(ran).toMatchObject({
      code: 0,
      json: { state: 'empty', version: 0, known: KNOWN, steps: [] },
    });
    expect((await check()).stdout).toContain('Nothing is to do: the first start makes the schema.');
    expect(existsSync(data)).toBe(false);
  });

  it('leaves an empty database to the first start, and so does doctor', async () => {
    await using database = await open();
    const ran = await stave(data, ['doctor', '--json']);
    expect(ran).toMatchObject({ code: 0, json: { healthy: true } });
    const { detail } = ran.json.findings.find((one: { check: string }) => one.check === 'database');
    expect(detail).toMatch(/is empty; the first start makes the schema$/);
    expect((await check('--json')).json.state).toBe('empty');
    void database;
  });

  it('has nothing to do for the database of this version', async () => {
    await staveJson(data, ['clients', 'list']);
    expect(await check('--json')).toMatchObject({
      code: 0,
      json: {
        state: 'current',
        version: KNOWN,
        steps: [],
        onlyAdds: true,
        mayRunBeside: true,
        neededBytes: 0,
      },
    });
    expect((await check()).stdout).toContain(
      'Nothing is to do: the database has the schema of this',
    );
  });

  it('lists the steps of an older database with what they do, and changes nothing', async () => {
    await staveJson(data, ['clients', 'list']);
    await using database = await open();
    await database.run(
      `INSERT INTO quotes (id, client_id, mode, request, document, amount_minor, currency, created_at, expires_at)
       VALUES ('q', 'c', 'live', '{"media":"film"}', '{}', 1, 'EUR', 1, 2)`,
    );
    const { main, remove } = makeNextRelease(NEXT_STEPS);
    try {
      const stave = (...args: string[]) => staveProcess(data, args, { main });
      const ran = await stave('upgrade', '--check', '--json');
      expect(ran.code).toBe(3);
      const { steps, affected } = ran.json;
      expect(ran.json).toMatchObject({
        state: 'pending',
        version: KNOWN,
        known: KNOWN + 2,
        onlyAdds: false,
        mayRunBeside: ON_POSTGRES,
        isServer: ON_POSTGRES,
      });
      expect(steps).toHaveLength(2);
      expect(steps[0]).toEqual({
        version: KNOWN + 1,
        summary: 'what each quote is for',
        compatibleFrom: FIRST_VERSION,
        creates: ['quote_uses'],
        addsColumns: ['issued_license_tracks.medium', 'quotes.production_id'],
        indexes: ['quotes', 'tracks'],
        fills: ['quote_uses'],
        rewrites: ['quotes', 'issued_licenses'],
        removes: ['quotes_of_client'],
      });
      expect(steps[1]).toMatchObject({ creates: ['quote_reasons'], rewrites: [], indexes: [] });
      expect(affected).toMatchObject([
        { name: 'issued_licenses', rows: 0 },
        { name: 'quotes', rows: 1 },
        { name: 'tracks', rows: 0 },
      ]);
      expect(ran.json.databaseBytes).toBeGreaterThan(10_000);
      expect(ran.json.neededBytes).toBeGreaterThan(50_000_000);
      const { stdout } = await stave('upgrade', '--check');
      expect(stdout).toMatch(/what each quote is for \(changes what exists\)\n {6}new tables: /);
      expect(stdout).toMatch(/the reasons of quotes \(only adds\)/);
      expect(stdout).toMatch(/^ {2}quotes: 1 row/m);
      expect(stdout).toMatch(
        ON_POSTGRES ? /Nodes of the present version may go on/ : /Stop the service first/,
      );
      expect(stdout).toMatch(ON_POSTGRES ? /Backup: .*pg_dump/ : /Backup: `stave backup FOLDER`/);
      const examined = await stave('doctor', '--json');
      expect(examined).toMatchObject({ code: 0, json: { healthy: true } });
      const { findings } = examined.json;
      expect(findings.find((one: { check: string }) => one.check === 'database')).toMatchObject({
        status: 'warning',
        detail: expect.stringMatching(
          new RegExp(`has schema ${KNOWN}, and .* migrates it to ${KNOWN + 2}$`),
        ),
        advice: expect.stringContaining('stave upgrade --check'),
      });
      const use = findings.find((one: { check: string }) => one.check === 'disk use');
      if (ON_POSTGRES) expect(use.bytes.database).toBe(ran.json.databaseBytes);
      expect(use.detail.includes('(on its server)')).toBe(ON_POSTGRES);
      expect((await stave('upgrade', '--check', '--json')).json.version).toBe(KNOWN);
      // The start of a command migrates it.
      expect(await stave('clients', 'list')).toMatchObject({ code: 0 });
      expect(await stave('upgrade', '--check')).toMatchObject({ code: 0 });
      const statement = CompiledQuery.raw('SELECT media FROM quote_uses');
      expect((await database.sql.queries.execute(statement)).rows).toEqual([{ media: 'film' }]);
    } finally {
      remove();
    }
  });

  it('is run with the program of the next release, on the database of this one', async () => {
    await staveJson(data, ['clients', 'list']);
    const next = makeNextRelease();
    try {
      const ran = spawnSync(process.execPath, [next.main, 'upgrade', '--check', '--json'], {
        env: environment(data),
        encoding: 'utf8',
      });
      expect([ran.status, ran.stderr]).toEqual([3, '']);
      expect(JSON.parse(ran.stdout)).toMatchObject({
        programVersion: '99.0.0',
        version: KNOWN,
        known: KNOWN + 1,
        onlyAdds: true,
        mayRunBeside: ON_POSTGRES,
        steps: [
          { summary: 'a column of the next release', addsColumns: ['tracks.of_the_next_release'] },
        ],
      });
      spawnSync(process.execPath, [next.main, 'clients', 'list'], { env: environment(data) });
      // This version works with what the next one has added only on PostgreSQL, which records that.
      const back = await check('--json');
      expect([back.code, back.json.state]).toEqual(ON_POSTGRES ? [0, 'newer'] : [4, 'too new']);
      expect((await check()).stdout).toMatch(/newer (?:version|one) has migrated/);
    } finally {
      next.remove();
    }
  });

  it('reports a database that is too new, or from before the first release', async () => {
    await staveJson(data, ['clients', 'list']);
    await using database = await open();
    for (const [version, state] of [
      [KNOWN + 5, 'too new'],
      [FIRST_VERSION - 1, 'unreleased'],
    ] as const) {
      await database.run(
        ON_POSTGRES
          ? `UPDATE stave_schema SET version = ${version}, compatible_from = ${version}`
          : `PRAGMA user_version = ${version}`,
      );
      expect(await check('--json')).toMatchObject({ code: 4, json: { state, version } });
      expect((await check()).stdout).toContain('This version cannot use the database');
    }
  });

  it('refuses to run without --check, and the database of another program', async () => {
    const without = await stave(data, ['upgrade']);
    expect(without).toMatchObject({ code: 1, stdout: '' });
    expect(without.stderr).toMatch(
      /^stave: give --check: the database is migrated by the next start/,
    );
    await using database = await open();
    await database.run('CREATE TABLE other (one integer)');
    const ran = await check();
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('another program');
  });
});

describe('each step of the schema', () => {
  it('has a summary of one short line', () => {
    for (const { summary } of MIGRATIONS) expect(summary).toMatch(/^[a-zA-Z][^\n]{5,75}[^.\n]$/);
    const guide = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
    expect(guide).toMatch(/^ {2}summary: '/m);
  });
});
