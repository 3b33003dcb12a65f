import { arch, availableParallelism, cpus, freemem, release, totalmem, uptime } from 'node:os';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { Config, ReportedSettings } from '../../app/config/config.ts';
import { openAppContext } from '../../app/open/context.ts';
import { inspectStore, locationOf } from '../../app/open/open-store.ts';
import { sharedFileSystem } from '../../common/shared-file-system.ts';
import { explain } from '../../common/text/explain.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import { TABLES } from '../../engines/sql/copied-tables.ts';
import type { Examination } from './examine.ts';
import type { Finding } from './finding.ts';

const README = `For a bug report about Stave, by \`stave doctor --bundle\`. Read it before you send it.

findings.json   what the checks of \`stave doctor\` found
settings.json   the settings that differ from their defaults, without secrets, and the names of related variables
platform.json   versions, processor, memory, file system
store.json      the schema of the database, and the number of rows of each table
metrics.txt     the metrics of the running service, if STAVE_METRICS_PORT is set and it answers

It contains no secret, no row of the database and no file of the data folder. It contains paths, names of hosts, and ids
of clients and webhooks. It does not contain the log, which Stave writes to its standard error: add the lines
around the problem, as \`journalctl -u stave\` or \`docker logs\` prints them. The log contains no secrets either.
`;

interface Reported extends Examination {
  findings: readonly Finding[];
  settings: ReportedSettings;
}

/** Returns the bytes of a ZIP archive for a bug report, without secrets. Changes nothing; counts the rows of all tables. */
export async function bundle(given: Reported): Promise<Buffer> {
  const { settings, others, secrets } = given.settings;
  const clean = cleaner(secrets);
  const json = (value: unknown) =>
    `${JSON.stringify(value, (_key, one) => (typeof one === 'string' ? clean(one) : one), 2)}\n`;
  let config: Config | undefined;
  try {
    config = given.readConfig();
  } catch {
    // The findings say why.
  }
  const files = {
    'README.txt': README,
    'findings.json': json(given.findings),
    'settings.json': json({ settings, others }),
    'platform.json': json(await platform(given, config)),
    'store.json': json(config === undefined ? null : await storeFacts(given, config)),
    'metrics.txt': clean(await metricsOf(config)),
  };
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  // The types of yazl know only the interface that all streams have.
  return buffer(zip.outputStream as Readable);
}

/** Shorter texts are in many places where they are no secrets. */
const LEAST_LENGTH = 4;

/** Returns a function that removes secrets, and the user and password of each URL, from a text. */
export function cleaner(secrets: readonly string[]): (text: string) => string {
  const removed = secrets
    .filter(({ length }) => length >= LEAST_LENGTH)
    .toSorted((a, b) => b.length - a.length);
  return (text) =>
    removed
      .reduce((left, secret) => left.replaceAll(secret, '[removed]'), text)
      .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s"'<>]*@/gi, '$1[removed]@');
}

async function platform({ nodeVersion, clock }: Reported, config: Config | undefined) {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  // Without a limit, it is 0 or about 2^64.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return {
    stave: SERVICE_VERSION,
    node: nodeVersion,
    system: `${process.platform} ${release()} ${arch()}`,
    glibc: header.glibcVersionRuntime ?? null,
    processors: { count: availableParallelism(), model: cpus()[0]?.model ?? null },
    memoryBytes: { total: totalmem(), free: freemem(), limit: limit > totalmem() ? null : limit },
    upSeconds: uptime(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    isRoot: process.getuid?.() === 0,
    sharedFileSystem: config === undefined ? null : await sharedFileSystemOf(config),
    at: new Date(clock.now()).toISOString(),
  };
}

async function sharedFileSystemOf({ dataFolder }: Config): Promise<string | null> {
  return sharedFileSystem(dataFolder).then((name) => name ?? null, explain);
}

/** The schema, and the number of rows of each table if the schema is of this version. */
async function storeFacts({ clock, log }: Reported, config: Config) {
  try {
    const schema = await inspectStore(locationOf(config), { log });
    if (schema.version === 0 || schema.steps.length > 0) return { schema, rows: null };
    const context = await openAppContext({ config, clock, log });
    try {
      const rows: Record<string, number> = {};
      for (const table of TABLES) rows[table.name] = await context.store.tables.count(table);
      return { schema, rows };
    } finally {
      await context.close();
    }
  } catch (error) {
    return { problem: explain(error) };
  }
}

const TIMEOUT_MS = 3_000;
/** More than a Stave sends. */
const MAX_METRICS_BYTES = 10_000_000;

async function metricsOf(config: Config | undefined): Promise<string> {
  if (config === undefined || config.metrics === null) return '# STAVE_METRICS_PORT is not set.\n';
  const { host, port } = config.metrics;
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const decoder = new TextDecoder();
    let text = response.ok ? '' : `# ${address} answered with ${response.status}.\n`;
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_METRICS_BYTES) break;
    }
    return text;
  } catch (error) {
    return `# ${address} did not answer: ${explain((error as Error).cause ?? error)}\n`;
  }
}
