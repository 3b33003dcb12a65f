import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { ROOT } from '../guards/source.ts';
import { environment, type Serving, serving, temporaryFolder } from '../harness/cli.ts';
import {
  cloneWorkingTree,
  debianRoot,
  type Ended,
  hasRelease,
  release,
} from './release-support.ts';

const { version } = packageJson;
const folder = temporaryFolder();
/** The checkout, if `npm run release` has built its commit, and otherwise a clone. */
const first = hasRelease(ROOT, version) ? ROOT : folder.at('first');
const second = folder.at('elsewhere', 'second');
const dist = join(first, 'dist');
const file = (name: string) => join(dist, name);
const NAMES = [
  'SHA256SUMS',
  'THIRD-PARTY-LICENSES.txt',
  `stave-${version}-linux-arm64.tar.gz`,
  `stave-${version}-linux-x64.tar.gz`,
  `stave-${version}-oci.tar`,
  `stave-${version}.cdx.json`,
  `stave-${version}.provenance.json`,
  `stave-${version}.tgz`,
  `stave-client-${version}.tgz`,
];
/** The environment of a machine where nothing of Stave is installed. */
const strangers = (home: string, ...path: string[]) => {
  const { HOME: _, PATH: __, NODE_COMPILE_CACHE: ___, ...bare } = environment(join(home, 'data'));
  const own = Object.entries(bare).filter(([name]) => !/^(npm_|NODE_|STAVE_DEMO)/.test(name));
  return {
    ...Object.fromEntries(own),
    HOME: home,
    PATH: [...path, '/usr/bin', '/bin'].join(delimiter),
  };
};

let ended: Ended[];
beforeAll(async () => {
  if (first !== ROOT) cloneWorkingTree(first);
  mkdirSync(folder.at('elsewhere'));
  ended = await Promise.all([
    ...(first === ROOT ? [] : [release('', first, '022')]),
    release(first, second, '077'),
  ]);
}, 900_000);
afterAll(() => folder[Symbol.dispose]());

describe('npm run release', () => {
  it('writes equal files for one commit, in different folders and with different umasks', () => {
    expect(ended.filter(({ code }) => code !== 0)).toEqual([]);
    expect(readdirSync(dist).sort()).toEqual(NAMES);
    const sums = (of: string) =>
      execFileSync('sha256sum', NAMES, { cwd: join(of, 'dist'), encoding: 'utf8' });
    expect(sums(second)).toBe(sums(first));
  });

  it('writes sums of all files', () => {
    const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: dist,
      encoding: 'utf8',
    });
    expect(checked).toBe(
      NAMES.slice(1)
        .map((name) => `${name}: OK\n`)
        .join(''),
    );
  });

  it('states how the files were built', () => {
    const statement = json(`stave-${version}.provenance.json`);
    const sums = readFileSync(file('SHA256SUMS'), 'utf8');
    expect(statement._type).toBe('https://in-toto.io/Statement/v1');
    expect(statement.subject.map(({ name }: { name: string }) => name)).toEqual(
      NAMES.filter((name) => !/SUMS|provenance/.test(name)),
    );
    for (const { name, digest } of statement.subject) {
      expect(sums).toContain(`${digest.sha256}  ${name}\n`);
    }
    const git = ['-C', first, 'rev-parse', 'HEAD'];
    const commit = execFileSync('git', git, { encoding: 'utf8' }).trim();
    const { externalParameters, resolvedDependencies } = statement.predicate.buildDefinition;
    expect(externalParameters).toEqual({ commit, version });
    expect(resolvedDependencies[0].digest).toEqual({ gitCommit: commit });
    expect(resolvedDependencies.length).toBeGreaterThan(100);
  });

  it('lists all packages in the form of CycloneDX 1.6, with their licenses', () => {
    const sbom = json(`stave-${version}.cdx.json`);
    const schemas = import.meta.resolve('@cyclonedx/cyclonedx-library/package.json');
    const schema = (name: string) =>
      JSON.parse(readFileSync(new URL(`res/schema/${name}.SNAPSHOT.schema.json`, schemas), 'utf8'));
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    ajv.addFormat('iri-reference', true).addFormat('idn-email', true);
    for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs']) {
      // The package has renamed its copies.
      const $id = `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`;
      ajv.addSchema({ ...schema(name), $id });
    }
    const isValid = ajv.compile(schema('bom-1.6'));
    expect(isValid(sbom), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...sbom, serialNumber: 'none' })).toBe(false);

    const listed = sbom.components.map((one: { 'bom-ref': string }) => one['bom-ref']);
    expect(
      packagesIn(`stave-${version}-linux-x64.tar.gz`).filter((one) => !listed.includes(one)),
    ).toEqual([]);
    // Parts of the explorer.
    expect(listed.join()).toContain('preact@');
    const licenses = readFileSync(file('THIRD-PARTY-LICENSES.txt'), 'utf8');
    // The texts of packages of Debian are in the image.
    const ofNpm = listed.filter((one: string) => !one.startsWith('pkg:deb/'));
    expect(ofNpm.length).toBeLessThan(listed.length);
    const unlicensed = ofNpm.filter((one: string) => !licenses.includes(`\n${one} (`));
    expect(unlicensed).toEqual([expect.stringMatching(/^@stave\/demo-catalog@/)]);
  });

  it.each(['x64', 'arm64'])('packs what runs and nothing else, with Node for %s', (processor) => {
    const name = `stave-${version}-linux-${processor}`;
    const paths = listOf(`${name}.tar.gz`);
    const development = /\.d\.[cm]?ts$|\.tsx?$|\.map$|\.test|\/(include|share|rolldown|vite|adr)\//;
    expect(paths.filter((path) => development.test(path))).toEqual([]);
    expect(statSync(file(`${name}.tar.gz`)).size).toBeLessThan(130_000_000);
    const node = `node_modules/node-linux-${processor}/`;
    const program = execFileSync(
      'tar',
      ['-xOzf', file(`${name}.tar.gz`), `${name}/${node}bin/node`],
      {
        maxBuffer: 300_000_000,
      },
    );
    // The processor of an ELF file.
    expect(program.readUInt16LE(18)).toBe({ x64: 62, arm64: 183 }[processor]);
    const rest = paths
      .map((path) => path.slice(name.length + 1))
      .filter((path) => !path.startsWith(node));
    const inPackage = listOf(`stave-${version}.tgz`).map((path) => path.slice('package/'.length));
    expect(rest.filter((path) => path !== 'stave')).toEqual(inPackage);
  });

  it('refuses a working tree that differs from the commit', async () => {
    writeFileSync(join(second, 'new.txt'), '');
    const { code, stderr } = await release('', second, '022');
    expect([code, stderr]).toEqual([
      1,
      'stave: commit or remove what `git status` lists: a release is built of a commit\n',
    ]);
    expect(readdirSync(join(second, 'dist'))).toHaveLength(NAMES.length);
  });
});

describe('a machine with nothing but', () => {
  it('Node and npm installs the package without a registry, and serves', async () => {
    const home = folder.at('npm');
    mkdirSync(home);
    const env = {
      ...strangers(home, join(home, 'prefix', 'bin'), dirname(process.execPath)),
      npm_config_prefix: join(home, 'prefix'),
      npm_config_cache: join(home, 'cache'),
      npm_config_registry: 'http://127.0.0.1:1/',
    };
    const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
    execFileSync(process.execPath, [npm, 'install', '-g', file(`stave-${version}.tgz`)], {
      env,
      cwd: home,
    });
    await using service = await serving(spawn('stave', ['serve', '--json'], { env, cwd: home }));
    await expectDemo(service);
    expect(await service.stop()).toBe(0);
  });

  it.skipIf(process.getuid?.() !== 0 || process.arch !== 'x64')(
    'the C library unpacks the archive, and serves',
    async () => {
      const root = folder.at('root');
      debianRoot(root);
      execFileSync('tar', ['-xzf', file(`stave-${version}-linux-x64.tar.gz`), '-C', root]);
      // Nothing of the machine but its devices and processes; as a user who owns none of the files.
      const script = `mount --rbind /dev '${root}/dev' && mount -t proc proc '${root}/proc' &&
      exec chroot --userspec=10001:10001 '${root}' /usr/bin/env -i PATH=/usr/bin STAVE_DATA=/data/stave PORT=0 \
      /stave-${version}-linux-x64/stave serve --json`;
      await using service = await serving(spawn('unshare', ['--mount', 'sh', '-c', script]));
      await expectDemo(service);
      expect(await service.stop()).toBe(0);
    },
  );
});

/** Plays a track of the demo with a token of its client, and reads the pages. */
async function expectDemo(service: Serving): Promise<void> {
  const { clientId, testSecret } = service.printed.demo;
  const token = await service.token(clientId, testSecret);
  const { status, body } = await service.get('/v1/tracks?pageSize=1', token);
  expect([status, body.error.message]).toEqual([200, 'OK']);
  const played = await fetch(body.data.items[0].streamUrl);
  const bytes = Buffer.from(await played.arrayBuffer());
  expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
  expect(bytes.length).toBeGreaterThan(100_000);
  expect((await service.get('/version')).body).toMatchObject({ data: { serviceVersion: version } });
  const page = async (path: string) => (await fetch(service.url + path)).text();
  expect(await page('/')).toContain('<div id="app">');
  expect(await page('/docs')).toContain('Getting started');
  const archive = await fetch(`${service.url}/docs/stave-client.tgz`);
  expect(Buffer.from(await archive.arrayBuffer())).toEqual(
    readFileSync(file(`stave-client-${version}.tgz`)),
  );
}

function json(name: string) {
  return JSON.parse(readFileSync(file(name), 'utf8'));
}

/** Returns the paths of the files in an archive. */
function listOf(name: string): string[] {
  return execFileSync('tar', ['-tzf', file(name)], { encoding: 'utf8', maxBuffer: 10_000_000 })
    .split('\n')
    .filter((path) => path !== '' && !path.endsWith('/'));
}

/** Returns `name@version` of each package that is installed in an archive. */
function packagesIn(name: string): string[] {
  const into = folder.at('unpacked');
  mkdirSync(into);
  execFileSync('tar', ['-xzf', file(name), '-C', into, '--wildcards', '*/package.json']);
  return readdirSync(into, { recursive: true, encoding: 'utf8' })
    .filter((path) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(into, path), 'utf8')))
    .map((one) => `${one.name}@${one.version}`);
}
