import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source.ts';

interface Dashboard {
  schemaVersion: number;
  panels: { type: string; title: string; [member: string]: unknown }[];
}

const SCHEMA = join(ROOT, 'node_modules/@grafana/schema/dist/types');
/** The types of the options of each type of panel that the dashboard has. */
const OPTIONS: Readonly<Record<string, string>> = {
  stat: 'raw/composable/stat/panelcfg/x/types.gen',
  timeseries: 'raw/composable/timeseries/panelcfg/x/types.gen',
};

const dashboard = (): Dashboard =>
  JSON.parse(readFileSync(join(ROOT, 'deploy/grafana-dashboard.json'), 'utf8'));

it('the dashboard has only members and values of the schema of Grafana', () => {
  expect(problemsOf(dashboard())).toEqual([]);
});

it('the check of the schema finds a misspelled member, and values of another type', () => {
  const [, first, ...others] = dashboard().panels;
  const panels = [
    { ...first!, fieldConfg: {} },
    { ...others[0]!, options: { ...(others[0]!.options as object), graphMode: 'lines' } },
    { ...others[1]!, gridPos: { h: '4', w: 3, x: 0, y: 1 } },
    { ...others.find(({ type }) => type === 'timeseries')!, options: { legend: true } },
  ];
  const problems = problemsOf({ ...dashboard(), schemaVersion: '39' as never, panels });
  expect(problems).toHaveLength(5);
  for (const what of ["'string'", 'fieldConfg', '"lines"', "'string'", "'boolean'"]) {
    expect(problems.shift()).toContain(what);
  }
});

/** Compiles the dashboard as a value of the types of Grafana. Returns the errors. */
function problemsOf({ panels, ...rest }: Dashboard): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'stave-grafana-'));
  try {
    const typeOf = ({ type }: Dashboard['panels'][number]) =>
      type in OPTIONS
        ? `Omit<Panel, 'options'> & { options: Partial<import('${join(SCHEMA, OPTIONS[type]!)}').Options> }`
        : 'RowPanel';
    const lines = [
      `import type { Dashboard, Panel, RowPanel } from '${join(SCHEMA, 'index')}';`,
      // JSON has the values of enumerations.
      `type Json<T> = T extends string ? \`$\{T}\` : T extends number | boolean | null | undefined ? T`,
      '  : T extends readonly (infer One)[] ? Json<One>[]',
      '  : T extends object ? { [Name in keyof T]: Json<T[Name]> } : T;',
      `export const dashboard: Json<Omit<Dashboard, 'panels'>> = ${JSON.stringify(rest)};`,
      ...panels.map(
        (panel, i) => `export const p${i}: Json<${typeOf(panel)}> = ${JSON.stringify(panel)};`,
      ),
    ];
    const path = join(folder, 'dashboard.ts');
    writeFileSync(path, lines.join('\n'));
    const words = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--pretty', 'false'];
    const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...words, path], {
      encoding: 'utf8',
    });
    const problems = stdout.split('\n').filter((line) => line.includes('error TS'));
    if (status !== 0 && problems.length === 0) throw new Error(`tsc ended with ${status}`);
    return problems;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
