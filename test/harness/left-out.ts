import { FFMPEG } from './ffmpeg.ts';
import { canStartPgBouncer } from './pgbouncer.ts';
import { HAS_POPPLER } from './poppler.ts';
import { canStartPostgres } from './postgres-programs.ts';
import { hasPrometheus } from './prometheus.ts';
import { redisInstalled } from './redis-server.ts';
import { hasS3Server } from './s3-server.ts';
import { POSTGRES_URL, SERVICES_REQUIRED } from './services.ts';

/** Reports before and after all tests which tests are skipped because a service is missing, and how to install it. */
export default function setup(): () => void {
  const missing = [
    ...(POSTGRES_URL === undefined
      ? [
          'PostgreSQL: all tests on it. Start a server on 127.0.0.1:5432, or set STAVE_TEST_DATABASE_URL.',
        ]
      : []),
    ...(canStartPostgres
      ? []
      : [
          "A PostgreSQL of the tests' own: the tests of outages and of three nodes. Install it (Debian: postgresql).",
        ]),
    ...(canStartPgBouncer
      ? []
      : ['PgBouncer: all tests through it. Install it (Debian: pgbouncer).']),
    ...(redisInstalled
      ? []
      : ['redis-server: all tests on Redis. Install it (Debian: redis-server).']),
    ...(FFMPEG !== undefined
      ? []
      : ['ffmpeg: the comparison of decoded audio. Install it (Debian: ffmpeg).']),
    ...(HAS_POPPLER ? [] : ['Poppler: what PDFs say. Install it (Debian: poppler-utils).']),
    ...(hasPrometheus
      ? []
      : [
          'Prometheus: the tests of the alerts and the dashboard. Install it (Debian: prometheus).',
        ]),
    ...(hasS3Server
      ? []
      : ['An S3 server: all tests on a bucket. Install python3-swift (Debian).']),
  ];
  if (missing.length > 0 && SERVICES_REQUIRED) {
    throw new Error(`The tests need every service. Missing: ${missing.join(' ')}`);
  }
  const report = () => {
    if (missing.length === 0) return;
    const line = '='.repeat(80);
    process.stderr.write(`${line}\nTESTS SKIPPED\n${missing.join('\n')}\n${line}\n`);
  };
  report();
  return report;
}
