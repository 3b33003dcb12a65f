import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { checkMetrics, hasPrometheus, promtool, startPrometheus } from '../harness/prometheus.ts';
import { hasRedis, openRedis } from '../harness/redis-server.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const ALERTS = pathOf('../../deploy/alerts.yaml');

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}

/** What Grafana replaces, with all jobs and nodes selected. */
const VARIABLES: Record<string, string> = {
  $job: '.+',
  $instance: '.+',
  $__rate_interval: '1m',
};

/** What a node on SQLite does not have, and one without a certificate. */
const NOT_HERE = [
  ...(ON_POSTGRES ? [] : ['stave_database_connections']),
  ...(ON_POSTGRES ? [] : ['stave_database_waiting']),
  'stave_tls_certificate_expiry_timestamp_seconds',
];

/** The panel that has no data before the first backup. */
const NO_BACKUP = 'Age of the last backup';

let server: TestServer | undefined;
afterEach(() => server?.close());

/** The expressions of the dashboard, each with the title of its panel. */
function panelQueries(): { title: string; query: string }[] {
  const text = readFileSync(pathOf('../../deploy/grafana-dashboard.json'), 'utf8');
  const { panels } = JSON.parse(text) as Dashboard;
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => {
      const query = expr.replace(/\$\w+/g, (variable) => VARIABLES[variable] ?? variable);
      return { title, query };
    }),
  );
}

it.skipIf(!hasPrometheus)('fires each alert when it must, and only then', () => {
  promtool('check', 'rules', ALERTS);
  promtool('test', 'rules', pathOf('alerts.promtool.yaml'));
});

it.skipIf(!hasPrometheus || !hasRedis)(
  'fires no alert for a healthy node, and has data for each query of the dashboard',
  async () => {
    const port = await freePort();
    const redis = await openRedis();
    const config = { metrics: { host: '127.0.0.1', port }, redisUrl: redis.url, analysis: true };
    server = await startTestServer({ config });
    const client = await server.createClient({ scopes: ['tracks'] });
    const token = await client.token();
    await using prometheus = await startPrometheus(port, ALERTS);
    // Responses with other statuses, which some panels show.
    const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
    await once(socket.end('not HTTP\r\n\r\n').resume(), 'close');
    await until(async () => {
      await server!.call('listTracks', { token });
      await server!.http.send('GET', '/v1/none');
      return (await prometheus.query('sum_over_time(up{job="stave"}[1m]) >= 3')).length > 0;
    });

    await until(async () => (await prometheus.rules()).every(({ health }) => health !== 'unknown'));
    const rules = await prometheus.rules();
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    expect(await prometheus.query('ALERTS{alertstate="firing"}')).toEqual([]);

    const absent: string[] = [];
    const exposed = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    checkMetrics(exposed);
    for (const { title, query } of panelQueries()) {
      const names = query.match(/\b(?:stave|process|nodejs)_\w+/g) ?? [];
      const isAbsent = names.some((name) => !exposed.includes(`\n${name}`));
      const series = await prometheus.query(query);
      if (isAbsent) absent.push(...names);
      else if (title !== NO_BACKUP) expect(series.length, `${title}: ${query}`).toBeGreaterThan(0);
    }
    expect([...new Set(absent)].sort()).toEqual(NOT_HERE);
    await redis.close();
  },
);
