/**
 * Writes the image as an archive in the layout of OCI, for both processors
 * (https://github.com/opencontainers/image-spec). It needs no container engine: an image is JSON and archives of files,
 * named by their hash.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tarOptions } from './archives.ts';
import { type Build, run } from './build.ts';
import { debianRoots, USER } from './debian.ts';
import { ARCHITECTURES, type Processor } from './packages.ts';

const MEDIA = 'application/vnd.oci.image';

/** The certificate names the public address, and not this one. */
const HEALTH_CHECK =
  "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch('http' + (process.env.STAVE_TLS_CERT ? 's' : '') + '://127.0.0.1:' + process.env.PORT + '/health-check').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))";
const SECOND = 1_000_000_000;

/** The part of the configuration that does not depend on the release. */
export const IMAGE_CONFIG = {
  // A number, so that a cluster can verify that the user is not root.
  User: `${USER}:${USER}`,
  ExposedPorts: { '8080/tcp': {} },
  Env: [
    'PATH=/usr/local/bin',
    'HOST=0.0.0.0',
    'PORT=8080',
    'STAVE_DATA=/data',
    // The limits on memory that bin/stave sets too.
    'MALLOC_ARENA_MAX=2',
    'MALLOC_MMAP_THRESHOLD_=262144',
  ],
  Entrypoint: ['stave'],
  Cmd: ['serve'],
  Volumes: { '/data': {} },
  WorkingDir: '/app',
  // Not a part of OCI, which reserves the name. Docker and Podman use it.
  Healthcheck: {
    Test: ['CMD', 'node', '-e', HEALTH_CHECK],
    Interval: 5 * SECOND,
    Timeout: 3 * SECOND,
    StartPeriod: 60 * SECOND,
    Retries: 3,
  },
};

/** The command within the image, which has no shell for bin/stave. */
const COMMAND = `#!/usr/local/bin/node\nimport('/app/bin/main.mjs');\n`;

const OPEN_FOLDERS = ['data', 'tmp'];

interface Blob {
  digest: string;
  size: number;
}

interface Layer extends Blob {
  /** The digest of the archive before its compression. */
  diffId: string;
  /** What it contains, for people. */
  content: string;
}

/**
 * Writes the image of a build.
 * @param work an empty folder.
 */
export function writeImage(build: Build, work: string, path: string): void {
  const layout = join(work, 'layout');
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  const put = (value: unknown) => putBlob(layout, Buffer.from(JSON.stringify(value)));

  const debian = join(work, 'debian');
  mkdirSync(debian);
  const roots = debianRoots(debian);
  const stave = layerOf(layout, staveFolder(build, join(work, 'stave')), build, 'Stave');
  const images = (['x64', 'arm64'] as const).map((processor) => {
    const base = layerOf(layout, roots[processor], build, 'Debian');
    const node = layerOf(
      layout,
      nodeFolder(build, processor, join(work, 'node')),
      build,
      'Node.js',
    );
    return imageOf(processor, [base, node, stave], build, put);
  });

  const { version } = build;
  const index = put({
    schemaVersion: 2,
    mediaType: `${MEDIA}.index.v1+json`,
    manifests: images.map(({ descriptor }) => descriptor),
    annotations: labelsOf(build),
  });
  const names = {
    'io.containerd.image.name': `docker.io/library/stave:${version}`,
    'org.opencontainers.image.ref.name': version,
  };
  const write = (name: string, value: unknown) =>
    writeFileSync(join(layout, name), JSON.stringify(value));
  write('oci-layout', { imageLayoutVersion: '1.0.0' });
  write('index.json', {
    schemaVersion: 2,
    manifests: [{ mediaType: `${MEDIA}.index.v1+json`, ...index, annotations: names }],
  });
  // For `docker load` without the image store of containerd, which knows one processor for each name.
  write(
    'manifest.json',
    images.map(({ descriptor, config, layers }) => ({
      Config: blobPath(config),
      RepoTags: [
        descriptor.platform.architecture === 'amd64'
          ? `stave:${version}`
          : `stave:${version}-${descriptor.platform.architecture}`,
      ],
      Layers: layers.map(blobPath),
    })),
  );
  archive(layout, build, path);
}

/** Adds the configuration and the manifest of one processor. */
function imageOf(
  processor: Processor,
  layers: readonly Layer[],
  build: Build,
  put: (value: unknown) => Blob,
) {
  const created = new Date(build.seconds * 1000).toISOString();
  const platform = { architecture: ARCHITECTURES[processor], os: 'linux' };
  const config = put({
    created,
    ...platform,
    config: { ...IMAGE_CONFIG, Labels: labelsOf(build) },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ content }) => ({ created, created_by: content })),
  });
  const manifest = put({
    schemaVersion: 2,
    mediaType: `${MEDIA}.manifest.v1+json`,
    config: { mediaType: `${MEDIA}.config.v1+json`, ...config },
    layers: layers.map(({ digest, size }) => ({
      mediaType: `${MEDIA}.layer.v1.tar+gzip`,
      digest,
      size,
    })),
    annotations: labelsOf(build),
  });
  const descriptor = { mediaType: `${MEDIA}.manifest.v1+json`, ...manifest, platform };
  return { descriptor, config, layers };
}

function labelsOf({ version, commit, seconds }: Build): Record<string, string> {
  return {
    'org.opencontainers.image.title': 'Stave',
    'org.opencontainers.image.description': 'The partner API of a music licensor',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': commit,
    'org.opencontainers.image.created': new Date(seconds * 1000).toISOString(),
    'org.opencontainers.image.licenses': 'Apache-2.0',
  };
}

function staveFolder({ root }: Build, folder: string): string {
  mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
  // Links to the same files instead of copies.
  run(root, 'cp', ['-al', '.', join(folder, 'app')]);
  const command = join(folder, 'usr/local/bin/stave');
  writeFileSync(command, COMMAND);
  chmodSync(command, 0o755);
  return folder;
}

function nodeFolder({ nodes }: Build, processor: Processor, folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  const license = join(folder, 'usr/local/share/doc/node/LICENSE');
  cpSync(join(nodes[processor], 'bin/node'), join(folder, 'usr/local/bin/node'));
  cpSync(join(nodes[processor], 'LICENSE'), license);
  return folder;
}

/** Adds the content of a folder as a layer, in which everything but /data belongs to root. */
function layerOf(layout: string, folder: string, build: Build, content: string): Layer {
  const path = join(layout, 'layer.tar');
  archive(folder, build, path);
  const diffId = digestOf(readFileSync(path));
  run(layout, 'gzip', ['-n', path]);
  const blob = putBlob(layout, readFileSync(`${path}.gz`));
  rmSync(`${path}.gz`);
  return { ...blob, diffId, content };
}

/** Writes the content of a folder. What every user may write, and the folder of the user, are added at the end. */
function archive(folder: string, { seconds }: Build, path: string): void {
  const tar = (...words: string[]) => run(folder, 'tar', [...tarOptions(seconds), ...words]);
  const names = readdirSync(folder).filter((name) => !OPEN_FOLDERS.includes(name));
  tar('-cf', path, ...names.sort());
  if (!existsSync(join(folder, 'data'))) return;
  tar('--mode=1777', '-rf', path, 'tmp');
  tar('--mode=700', `--owner=${USER}`, `--group=${USER}`, '-rf', path, 'data');
}

function putBlob(layout: string, bytes: Uint8Array): Blob {
  const blob = { digest: digestOf(bytes), size: bytes.length };
  writeFileSync(join(layout, blobPath(blob)), bytes);
  return blob;
}

function blobPath({ digest }: Blob): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
