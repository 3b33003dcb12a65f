import { canStartPgBouncer } from './pgbouncer.ts';
import { canStartPostgres } from './postgres-server.ts';
import { redisInstalled } from './redis-server.ts';
import { hasS3Server } from './s3-server.ts';
import { POSTGRES_URL, SERVICES_REQUIRED } from './services.ts';

/** Says before and after all tests what was left out for want of a service, and how to have it. */
export default function setup(): () => void {
  const missing = [
    ...(POSTGRES_URL === undefined
      ? [
          'PostgreSQL: everything on it. Start one on 127.0.0.1:5432, or set STAVE_TEST_DATABASE_URL.',
        ]
      : []),
    ...(canStartPostgres
      ? []
      : ["A PostgreSQL of the tests' own: outages, three nodes. Install it (Debian: postgresql)."]),
    ...(canStartPgBouncer
      ? []
      : ['PgBouncer: everything through it. Install it (Debian: pgbouncer).']),
    ...(redisInstalled
      ? []
      : ['redis-server: everything on Redis. Install it (Debian: redis-server).']),
    ...(hasS3Server
      ? []
      : ['An S3 server: everything on a bucket. Install python3-swift (Debian).']),
  ];
  if (missing.length > 0 && SERVICES_REQUIRED) {
    throw new Error(`The tests need every service, and lack: ${missing.join(' ')}`);
  }
  const tell = () => {
    if (missing.length === 0) return;
    const line = '='.repeat(80);
    process.stderr.write(`${line}\nTESTS LEFT OUT\n${missing.join('\n')}\n${line}\n`);
  };
  tell();
  return tell;
}
