import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUIDE_SECTIONS } from '../../src/docs-site/openapi/guides.ts';
import { canRender, render } from '../guards/kubernetes-objects.ts';
import { type Json, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { openRedis } from '../harness/redis-server.ts';
import { startS3Server } from '../harness/s3-server.ts';
import { createDatabase } from '../harness/services.ts';
import { until } from '../harness/until.ts';
import {
  type Container,
  canRunImage,
  IMAGE,
  type Image,
  startContainer,
  unpackImage,
  volume,
} from './containers.ts';

/** Making the demo takes minutes on a busy machine. */
const PATIENCE_MS = 240_000;

describe.skipIf(!canRunImage)('the archive of the image', () => {
  const read = (path: string) =>
    execFileSync('tar', ['-xOf', IMAGE!, path], { maxBuffer: 1024 * 1024 * 1024 });
  const json = (path: string) => JSON.parse(read(path).toString());
  const blob = ({ digest }: Json) => `blobs/${digest.replace(':', '/')}`;

  it('is an index of two processors whose blobs have the digests that name them', () => {
    const [top, ...others] = json('index.json').manifests;
    expect(others).toEqual([]);
    const { manifests, annotations } = json(blob(top));
    expect(manifests.map(({ platform }: Json) => platform)).toEqual([
      { architecture: 'amd64', os: 'linux' },
      { architecture: 'arm64', os: 'linux' },
    ]);
    expect(annotations['org.opencontainers.image.version']).toBe(version());
    for (const manifest of manifests) {
      const { config, layers } = json(blob(manifest));
      for (const one of [top, manifest, config, ...layers]) {
        const bytes = read(blob(one));
        expect(one.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
        expect(one.size).toBe(bytes.length);
      }
    }
  });

  it('has the programs of each processor, and nothing that another user than root may change but /tmp and /data', () => {
    const { manifests } = json(blob(json('index.json').manifests[0]));
    const machines: Record<string, number> = { amd64: 62, arm64: 183 };
    for (const { digest, platform } of manifests) {
      const [debian, node, stave] = json(blob({ digest })).layers;
      const program = (layer: Json, path: string) =>
        execFileSync('tar', ['-xzO', path], { input: read(blob(layer)), maxBuffer: 1 << 30 });
      const [loader] = listed(read(blob(debian))).filter(
        ({ path }) => /\/ld-linux-[^/]+$/.test(path) && path.startsWith('lib/'),
      );
      for (const bytes of [program(debian, loader!.path), program(node, 'usr/local/bin/node')]) {
        expect(bytes.readUInt16LE(18)).toBe(machines[platform.architecture]);
      }
      const foreign = [debian, node, stave]
        .flatMap((layer) => listed(read(blob(layer))))
        .filter(({ mode, owner }) => owner !== '0/0' || (mode[8] === 'w' && mode[0] !== 'l'));
      expect(foreign).toEqual([
        { mode: 'drwxrwxrwt', owner: '0/0', path: 'tmp/' },
        { mode: 'drwx------', owner: '10001/10001', path: 'data/' },
      ]);
    }
  });

  it('has the same images for a Docker without the image store of containerd', () => {
    const { manifests } = json(blob(json('index.json').manifests[0]));
    const tags = [`stave:${version()}`, `stave:${version()}-arm64`];
    const expected = manifests.map((manifest: Json, i: number) => {
      const { config, layers } = json(blob(manifest));
      return { Config: blob(config), RepoTags: [tags[i]], Layers: layers.map(blob) };
    });
    expect(json('manifest.json')).toEqual(expected);
  });
});

describe.skipIf(!canRunImage)('a container of the image', () => {
  const folder = temporaryFolder();
  let image: Image;
  beforeAll(() => {
    image = unpackImage(IMAGE!, folder.path);
  }, PATIENCE_MS);
  afterAll(() => folder[Symbol.dispose]());

  it(
    'serves the demo as user 10001 with a read-only root, is healthy, and ends by SIGTERM',
    async () => {
      const port = await freePort();
      mkdirSync(folder.at('demo'));
      const data = folder.at('demo-data');
      // As a volume of Docker, which takes owner and rights of /data in the image.
      mkdirSync(data, { mode: 0o700 });
      chownSync(data, 10_001, 10_001);
      const container = startContainer(image, {
        folder: folder.at('demo'),
        args: ['serve', '--json'],
        env: { PORT: String(port) },
        mounts: { '/data': data },
      });
      try {
        const { Test: check } = image.config.config.Healthcheck;
        expect(check[0]).toBe('CMD');
        const isHealthy = () => container.exec(...check.slice(1)).status === 0;
        await until(() => !!demoIn(container.output()), 'the demo', PATIENCE_MS);
        await until(isHealthy, 'the health check to pass', PATIENCE_MS);

        const heard = await playDemo(`http://127.0.0.1:${port}`, demoIn(container.output()));
        expect(heard.toString('latin1', 0, 4)).toBe('RIFF');

        for (const { path } of GUIDE_SECTIONS.flatMap(({ guides }) => guides)) {
          expect((await fetch(`http://127.0.0.1:${port}/docs/${path}`)).status, path).toBe(200);
        }
        const doctor = container.exec('stave', 'doctor', '--json');
        expect(doctor, doctor.stderr).toMatchObject({ status: 0 });
        const write =
          "try { fs.writeFileSync('/app/x', '') } catch (e) { console.log(process.getuid(), e.code) }";
        expect(container.exec('node', '-e', write).stdout).toBe('10001 EROFS\n');
        await expectToEnd(container);
      } finally {
        container.child.kill('SIGTERM');
        await container.ended;
      }
    },
    2 * PATIENCE_MS,
  );

  it.skipIf(!canRender)(
    'is the node and the backup that deploy/kubernetes describes',
    async () => {
      await using services = await startServices(folder.path);
      const objects = render('overlays/example');
      const settings = objects.find(({ kind }) => kind === 'ConfigMap').data;
      const nodes = objects.find(({ kind }) => kind === 'StatefulSet').spec.template.spec;
      const job = objects.find(({ kind }) => kind === 'CronJob').spec.jobTemplate.spec.template
        .spec;
      const port = await freePort();
      const run = (name: string, pod: Json, args?: string[]) => {
        mkdirSync(folder.at(name));
        return startContainer(image, {
          folder: folder.at(name),
          ...(args && { args }),
          env: {
            ...settings,
            ...envOf(pod),
            ...services.settings,
            PORT: String(port),
            STAVE_METRICS_PORT: '0',
          },
          mounts: {
            '/data': volume(folder.at(`${name}-data`), pod.securityContext.fsGroup),
            '/etc/stave-secrets': services.secrets,
          },
        });
      };

      const node = run('node', nodes);
      try {
        const { readinessProbe, livenessProbe } = nodes.containers[0];
        for (const { httpGet } of [livenessProbe, readinessProbe]) {
          const address = `http://127.0.0.1:${port}${httpGet.path}`;
          const answers = async () => (await fetch(address).catch(() => undefined))?.status === 200;
          const failed = node.ended.then(() => Promise.reject(new Error(node.output())));
          await Promise.race([until(answers, httpGet.path, PATIENCE_MS), failed]);
        }
        const doctor = node.exec('stave', 'doctor');
        expect(doctor.status, doctor.stdout).toBe(0);
        // Neither the folder of the volume, which belongs to root, nor the file of a secret is a warning.
        expect(doctor.stdout).not.toMatch(/^! data folder/m);

        const place = `${services.bucket}/backups`;
        const [container] = job.containers;
        expect(container.args[1]).toMatch(/^s3:/);
        const backup = run('backup', job, container.args.with(1, place));
        expect(await backup.ended, backup.output()).toBe(0);
        expect(node.exec('stave', 'backup', 'verify', place, '--deep')).toMatchObject({
          status: 0,
        });
        await expectToEnd(node);
      } finally {
        node.child.kill('SIGTERM');
        await node.ended;
      }
    },
    2 * PATIENCE_MS,
  );
});

/** The variables that the pod has besides those of the ConfigMap. */
function envOf(pod: Json): Record<string, string> {
  const { env = [] } = pod.containers[0];
  return Object.fromEntries(env.map(({ name, value }: Json) => [name, value]));
}

/** PostgreSQL, Redis and a bucket, with the files of secrets as a cluster mounts them. */
async function startServices(folder: string) {
  const database = await createDatabase();
  const redis = await openRedis();
  const s3 = await startS3Server();
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, ...aws } = s3.environment;
  const secrets = join(folder, 'secrets');
  mkdirSync(secrets, { mode: 0o755 });
  const files = {
    'database-url': `${database.url}\n`,
    'redis-url': `${redis.url}\n`,
    'aws-credentials': `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(secrets, basename(name));
    writeFileSync(path, text);
    chmodSync(path, 0o440);
    chownSync(path, 0, 10_001);
  }
  const bucket = `s3://${await s3.createBucket()}`;
  return {
    secrets,
    bucket,
    settings: { ...aws, STAVE_MEDIA_URL: `${bucket}/media` },
    async [Symbol.asyncDispose]() {
      await s3.close();
      await redis.close();
      await database.drop();
    },
  };
}

/** The member `demo` of the line that the first start prints; undefined before. */
function demoIn(output: string): Json {
  const line = output.split('\n').find((one) => one.startsWith('{') && one.includes('"demo":'));
  return line && JSON.parse(line).demo;
}

/** Gets a token with the credentials that the first start prints, and the beginning of a track. */
async function playDemo(address: string, { clientId, testSecret }: Json): Promise<Buffer> {
  const ask = async (path: string, init: RequestInit): Promise<Json> => {
    const answer: Json = await (await fetch(address + path, init)).json();
    return answer.data;
  };
  const { access_token: token } = await ask('/v1/auth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: testSecret,
    }),
  });
  const found = await ask('/v1/tracks?pageSize=1', {
    headers: { authorization: `Bearer ${token}` },
  });
  const [track] = found.items;
  return Buffer.from(await (await fetch(track.streamUrl)).arrayBuffer());
}

/** A signal ends the container within the ten seconds that open requests may take. */
async function expectToEnd({ child, ended, output }: Container): Promise<void> {
  const begun = performance.now();
  child.kill('SIGTERM');
  expect(await ended, output()).toBe(0);
  expect(performance.now() - begun).toBeLessThan(10_000);
}

/** The entries of a compressed archive. */
function listed(archive: Buffer) {
  return execFileSync('tar', ['-tvz'], { input: archive, encoding: 'utf8', maxBuffer: 1 << 28 })
    .trim()
    .split('\n')
    .map((line) => {
      const [mode, owner, , , , path] = line.split(/\s+/);
      return { mode: mode!, owner: owner!, path: path! };
    });
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
