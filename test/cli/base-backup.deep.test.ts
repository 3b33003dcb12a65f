import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../harness/cli.ts';
import { canStartPostgres, POSTGRES_BIN } from '../harness/postgres-programs.ts';
import { startPostgres } from '../harness/postgres-server.ts';

const GUIDE = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

describe.skipIf(!canStartPostgres)('a base backup of PostgreSQL', () => {
  it('needs the role of the guide, because the owner of the database may not replicate', async () => {
    using folder = temporaryFolder();
    await using server = await startPostgres(['fsync=off']);
    const [statement] = /CREATE ROLE replicator [^"]+/.exec(GUIDE)!;
    const [entry] = /^host.* replicator .*$/m.exec(GUIDE)!;
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query('CREATE ROLE owner LOGIN');
      await client.query(statement.replace('…', 'sesame'));
      const local = entry.replace(/^hostssl/, 'host').replace('10.0.0.0/8', '127.0.0.1/32');
      const lines = `('${local}'), ('host replication owner 127.0.0.1/32 trust')`;
      await client.query(`COPY (VALUES ${lines}) TO PROGRAM 'cat > pg_hba.conf'`);
      await client.query('SELECT pg_reload_conf()');
    } finally {
      await client.end();
    }
    const run = (program: string, ...words: string[]) =>
      promisify(execFile)(join(POSTGRES_BIN!, program), words, {
        env: { PGPASSWORD: 'sesame', PGHOST: '127.0.0.1', PGPORT: String(server.port) },
      });
    const options = ['-X', 'stream', '-c', 'fast', '--manifest-checksums=sha256'];
    const backup = (user: string, to: string) =>
      run('pg_basebackup', '-U', user, '-D', to, ...options);
    await expect(backup('owner', folder.at('a'))).rejects.toThrow(/superuser or replication role/);
    await backup('replicator', folder.at('b'));
    await run('pg_verifybackup', folder.at('b'));
  }, 60_000);
});
