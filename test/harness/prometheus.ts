import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

const [SERVER, TOOL] = ['/usr/bin/prometheus', '/usr/bin/promtool'];

/** Whether a test can start its own Prometheus here. */
export const hasPrometheus = existsSync(SERVER) && existsSync(TOOL);

/** A series of a result, at one time. */
interface Sample {
  metric: Record<string, string>;
  value: [time: number, value: string];
}

/** The state of an alert rule. */
interface AlertRule {
  name: string;
  /** `unknown` before the first evaluation, `err` after one that failed. */
  health: 'ok' | 'err' | 'unknown';
  lastError?: string;
}

/** A Prometheus of one test, on loopback. */
export interface Prometheus extends AsyncDisposable {
  /** Evaluates an expression now. Rejects with the message of Prometheus if it is wrong. */
  query(expression: string): Promise<Sample[]>;
  rules(): Promise<AlertRule[]>;
}

/** Runs `promtool`. Throws with its output if it fails. */
export function promtool(...args: readonly string[]): string {
  return execFileSync(TOOL, args, { encoding: 'utf8', stdio: 'pipe' });
}

/** Throws with what `promtool` finds wrong with the metrics of a node. */
export function checkMetrics(exposed: string): void {
  execFileSync(TOOL, ['check', 'metrics'], { input: exposed, stdio: 'pipe' });
}

/**
 * Starts a Prometheus that scrapes the job `stave` on a port of this machine and evaluates a file of rules, both once a
 * second; always dispose of it.
 */
export async function startPrometheus(target: number, rules: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'stave-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  const scrape = { job_name: 'stave', static_configs: [{ targets: [`127.0.0.1:${target}`] }] };
  // JSON is YAML.
  const settings = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [scrape],
  };
  writeFileSync(config, JSON.stringify(settings));
  const port = await freePort();
  const server: ChildProcess = spawn(
    SERVER,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore', cwd: folder },
  );
  const ended = once(server, 'exit');
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const { data, error } = (await response.json()) as { data: never; error?: string };
    if (error !== undefined) throw new Error(error);
    return data;
  };
  await until(() =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    async query(expression) {
      const { result } = await get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return result;
    },
    async rules() {
      const { groups } = (await get('/api/v1/rules')) as { groups: { rules: AlertRule[] }[] };
      return groups.flatMap((group) => group.rules);
    },
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
