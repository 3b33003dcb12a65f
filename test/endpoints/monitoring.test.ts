import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** The labels that Prometheus adds to all series. */
const OF_PROMETHEUS = ['instance', 'job'];
/** The labels whose values are in `/metrics` from the start, so that a value that is not there never is. */
const ENUMERATED = new Set(['stave_license_pdfs_total', 'stave_usage_events_total']);

const shipped = (file: string) =>
  readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8');
/** The expressions of both files. Those of the dashboard are strings of JSON. */
const TEXT = shipped('alerts.yaml') + shipped('grafana-dashboard.json').replaceAll('\\"', '"');

let server: TestServer | undefined;
afterEach(() => server?.close());

/** Returns the values of each label of each metric that a text of Prometheus has. */
function labelsOf(text: string): Map<string, Map<string, Set<string>>> {
  const metrics = new Map<string, Map<string, Set<string>>>();
  for (const [, name, labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const values = metrics.get(name!) ?? new Map<string, Set<string>>();
    metrics.set(name!, values);
    for (const [, label, value] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      values.set(label!, (values.get(label!) ?? new Set()).add(value!));
    }
  }
  return metrics;
}

it('has the labels that the alerts and the dashboard select and group by', async () => {
  const port = await freePort();
  server = await startTestServer({ config: { metrics: { host: '127.0.0.1', port } } });
  const client = await server.createClient({ scopes: ['tracks'] });
  await server.call('listTracks', { token: await client.token() });
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const metrics = labelsOf(text);
  const checked = new Set<string>();

  for (const [, name, selector] of TEXT.matchAll(/\b(stave_\w+)\{([^}]*)\}/g)) {
    const labels = metrics.get(name!);
    // Those of PostgreSQL, Redis and events that have not happened.
    if (labels === undefined) continue;
    for (const [, label, value] of selector!.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)) {
      if (OF_PROMETHEUS.includes(label!)) continue;
      expect([...labels.keys()], `${name}{${selector}}`).toContain(label);
      if (!ENUMERATED.has(name!)) continue;
      for (const one of value!.split('|')) expect([...labels.get(label!)!]).toContain(one);
      checked.add(`${name} ${label}`);
    }
  }
  expect([...checked].sort()).toEqual([
    'stave_license_pdfs_total outcome',
    'stave_usage_events_total mode',
    'stave_usage_events_total result',
  ]);

  const grouped = /\bby \(([\w, ]+)\) \((?:rate|increase|irate)\((stave_\w+)/g;
  for (const [, by, name] of TEXT.matchAll(grouped)) {
    const labels = metrics.get(name!);
    if (labels === undefined) continue;
    for (const label of by!.split(/, */)) {
      expect([...labels.keys(), ...OF_PROMETHEUS], `by (${by}) of ${name}`).toContain(label);
    }
  }
});
