import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IMAGE_CONFIG } from '../../scripts/release/image.ts';
import { readConfig } from '../../src/app/config/config.ts';
import { canRender, type KubernetesObject, parseYaml, render } from './kubernetes-objects.ts';
import { ROOT } from './source.ts';

const FOLDERS = ['base', 'overlays/example'] as const;
const EXAMPLE = join(ROOT, 'deploy/kubernetes/overlays/example');
/** Made by others: cert-manager, for example. */
const FOREIGN_SECRETS = ['stave-tls'];

describe.skipIf(!canRender).each(FOLDERS)('deploy/kubernetes/%s', (folder) => {
  const objects = canRender ? render(folder) : [];
  const pods = podsOf(objects);
  const [node] = pods;

  it('has only members that the types of Kubernetes know', () => {
    expect(problemsOf(objects)).toEqual([]);
  });

  it('refers only to what exists', () => {
    expect(danglingReferences(objects)).toEqual([]);
  });

  it('selects pods that exist, and keeps the backup out of the services', () => {
    for (const selector of selectorsOf(objects)) {
      const selected = pods.filter((pod) => isSelected(pod.metadata.labels, selector.labels));
      expect(selected.length, selector.by).toBeGreaterThan(0);
      if (!selector.by.startsWith('NetworkPolicy')) expect(selected, selector.by).toEqual([node]);
    }
  });

  it('runs the version of package.json', () => {
    const { version } = JSON.parse(text('package.json'));
    for (const pod of pods) expect(pod.spec.containers[0].image).toMatch(`stave:${version}`);
  });

  it('has the probes of the guide, on the port of the API', () => {
    const guide = /### Probes[\s\S]*?```yaml\n([\s\S]*?)```/.exec(text('docs/operations.md'))![1]!;
    const container = node.spec.containers[0];
    const http = container.ports.find((port: KubernetesObject) => port.name === 'http');
    for (const [name, probe] of Object.entries<KubernetesObject>(parseYaml(guide)[0])) {
      expect(probe.httpGet.port).toBe(http.containerPort);
      expect(container[name]).toEqual({ ...probe, httpGet: { ...probe.httpGet, port: 'http' } });
    }
  });

  it('gives an end its time: until no proxy sends requests, and for the open ones', () => {
    const { seconds } = node.spec.containers[0].lifecycle.preStop.sleep;
    expect(seconds).toBeGreaterThan(0);
    expect(node.spec.terminationGracePeriodSeconds).toBeGreaterThan(seconds + 10);
  });

  it('runs as the user of the image, without any right, and writes only to /data and /tmp', () => {
    const user = Number(/^(\d+):\1$/.exec(IMAGE_CONFIG.User)![1]);
    for (const { spec } of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
      });
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
        fsGroup: user,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      const [container, ...others] = spec.containers;
      expect(others).toEqual([]);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const writable = container.volumeMounts.filter((mount: KubernetesObject) => !mount.readOnly);
      expect(writable.map((mount: KubernetesObject) => mount.mountPath)).toEqual(['/data', '/tmp']);
      expect(container.resources.limits.memory).toBeDefined();
      expect(container.resources.requests).toHaveProperty('cpu');
    }
  });

  it('has valid settings, on the ports that it names', () => {
    for (const pod of pods) {
      const config = readConfig(settingsOf(pod, objects));
      expect(config).toMatchObject({
        host: '0.0.0.0',
        dataFolder: expect.stringMatching(/^\/data\b/),
      });
    }
    const config = readConfig(settingsOf(node, objects));
    const { ports } = node.spec.containers[0];
    expect(ports).toEqual([
      { name: 'http', containerPort: config.port },
      { name: 'metrics', containerPort: config.metrics!.port },
    ]);
    // Everyone else would see the metrics, too.
    expect(config.console).toBeNull();
  });
});

describe.skipIf(!canRender)('the example of deploy/kubernetes', () => {
  const objects = canRender ? render('overlays/example') : [];

  it('has two nodes on PostgreSQL, Redis and a bucket, and a backup of them', () => {
    const [node, backup] = podsOf(objects);
    expect(named(objects, 'StatefulSet', 'stave').spec.replicas).toBe(2);
    for (const pod of [node, backup]) {
      const config = readConfig(settingsOf(pod, objects));
      expect(config.database!.url).toMatch(/^postgres:/);
      expect(config.redisUrl).toMatch(/^rediss:/);
      expect(config.media).toMatchObject({ bucket: 'example-stave', prefix: 'media' });
      expect(config.demo).toBe(false);
    }
    expect(backup.spec.containers[0].args.slice(0, 2)).toEqual([
      'backup',
      's3://example-stave/backups',
    ]);
  });

  it('has the memory of a million tracks by the guide', () => {
    const megabytes = /^\| 1,000,000 \| (\d+) MB/m.exec(text('docs/operations.md'))![1];
    const { limits, requests } = podsOf(objects)[0].spec.containers[0].resources;
    expect(limits.memory).toBe(requests.memory);
    expect(Number.parseInt(limits.memory, 10) * 1024).toBeGreaterThan(2 * Number(megabytes));
  });

  it('lets only the ingress controller and Prometheus in', () => {
    const { ingress } = named(objects, 'NetworkPolicy', 'stave').spec;
    expect(ingress.map((rule: KubernetesObject) => rule.from?.length)).toEqual([1, 1]);
  });
});

describe.skipIf(!canRender)('the check of the types of Kubernetes', () => {
  it('finds a misspelled member and a value of another type', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'stave' } };
    const faulty = [
      { ...service, spec: { portz: [] } },
      { ...service, spec: { clusterIP: 1 } },
    ];
    expect(problemsOf([service])).toEqual([]);
    expect(problemsOf(faulty)).toEqual([
      expect.stringContaining('portz'),
      expect.stringContaining("'number'"),
    ]);
  });
});

/** The pods that the objects describe, the nodes first. */
function podsOf(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return objects
    .map((one) => one.spec?.template ?? one.spec?.jobTemplate?.spec.template)
    .filter((template) => template !== undefined)
    .sort((a, b) => b.metadata.labels[COMPONENT].localeCompare(a.metadata.labels[COMPONENT]));
}

const COMPONENT = 'app.kubernetes.io/component';

function named(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** Returns what the TypeScript compiler finds wrong, one line each. */
function problemsOf(objects: readonly KubernetesObject[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'stave-kubernetes-'));
  try {
    const types = join(ROOT, 'node_modules/kubernetes-types');
    const lines = objects.map((one, i) => {
      const module = one.apiVersion.replace('.k8s.io', '').replace(/^(?!.*\/)/, 'core/');
      return `export const o${i}: import('${join(types, module)}').${one.kind} = ${JSON.stringify(one)};`;
    });
    const path = join(folder, 'objects.ts');
    writeFileSync(path, lines.join('\n'));
    const words = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--pretty',
      'false',
      path,
    ];
    const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), words, {
      encoding: 'utf8',
    });
    const problems = stdout.split('\n').filter((line) => line.includes('error TS'));
    if (status !== 0 && problems.length === 0) throw new Error(`tsc ended with ${status}`);
    return problems;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The names of ConfigMaps, Secrets, Services, ports and volumes that are used and not declared. */
function danglingReferences(objects: readonly KubernetesObject[]): string[] {
  const declared = new Set(objects.map((one) => `${one.kind} ${one.metadata.name}`));
  for (const name of FOREIGN_SECRETS) declared.add(`Secret ${name}`);
  const used: string[] = [];
  for (const { spec } of podsOf(objects)) {
    const [container] = spec.containers;
    for (const one of container.envFrom) used.push(`ConfigMap ${one.configMapRef.name}`);
    for (const { secret } of spec.volumes) if (secret) used.push(`Secret ${secret.secretName}`);
    for (const one of spec.volumes) declared.add(`volume ${one.name}`);
    for (const one of container.volumeMounts) used.push(`volume ${one.name}`);
    for (const one of container.ports ?? []) declared.add(`port ${one.name}`);
  }
  for (const one of objects) {
    if (one.kind === 'StatefulSet') {
      used.push(`Service ${one.spec.serviceName}`);
      for (const claim of one.spec.volumeClaimTemplates)
        declared.add(`volume ${claim.metadata.name}`);
    }
    if (one.kind === 'Service')
      used.push(...one.spec.ports.map((p: KubernetesObject) => `port ${p.targetPort}`));
    if (one.kind === 'Ingress') {
      const { service } = one.spec.rules[0].http.paths[0].backend;
      used.push(
        `Service ${service.name}`,
        `port ${service.port.name}`,
        `Secret ${one.spec.tls[0].secretName}`,
      );
    }
    if (one.kind === 'NetworkPolicy') {
      const ports = (one.spec.ingress ?? []).flatMap((rule: KubernetesObject) => rule.ports);
      used.push(...ports.map((p: KubernetesObject) => `port ${p.port}`));
    }
  }
  expect(used.length).toBeGreaterThan(5);
  return used.filter((name) => !declared.has(name));
}

function selectorsOf(objects: readonly KubernetesObject[]) {
  return objects
    .filter((one) => one.spec?.selector !== undefined || one.spec?.podSelector !== undefined)
    .map(({ kind, metadata, spec }) => {
      const selector = spec.podSelector ?? spec.selector;
      return { by: `${kind} ${metadata.name}`, labels: selector.matchLabels ?? selector };
    });
}

function isSelected(labels: Record<string, string>, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

/** The environment of a container: of the image, and of the ConfigMap. The files of secrets are those of the example. */
function settingsOf(pod: KubernetesObject, objects: readonly KubernetesObject[]) {
  const [{ configMapRef }] = pod.spec.containers[0].envFrom;
  const data: Record<string, string> = named(objects, 'ConfigMap', configMapRef.name).data;
  const files = Object.entries(data).map(([name, value]) => [
    name,
    value.startsWith('/etc/stave-secrets/') ? join(EXAMPLE, 'secrets', basename(value)) : value,
  ]);
  const image = IMAGE_CONFIG.Env.map((one) => one.split('='));
  const own = (pod.spec.containers[0].env ?? []).map((one: KubernetesObject) => [
    one.name,
    one.value,
  ]);
  return Object.fromEntries([...image, ...files, ...own]);
}

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
