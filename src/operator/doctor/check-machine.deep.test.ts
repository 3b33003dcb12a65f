import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../app/config/config.ts';
import {
  checkDataFolder,
  checkNode,
  checkSettings,
  checkSpace,
  checkTls,
} from './check-machine.ts';

const folder = mkdtempSync(join(tmpdir(), 'stave-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));
const DAY = 86_400_000;

/** Creates a certificate for 30 days and its key. Returns false if openssl is not installed. */
function certify(name: string): boolean {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const what = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  try {
    const into = ['-days', '30', '-subj', '/CN=localhost', '-keyout', key, '-out', cert];
    execFileSync('openssl', [...what, ...into], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const certified = certify('one') && certify('other');

function configured(certFile: string, keyFile: string) {
  return readConfig({
    STAVE_DATA: folder,
    STAVE_TLS_CERT: join(folder, certFile),
    STAVE_TLS_KEY: join(folder, keyFile),
  });
}

describe('checkSettings', () => {
  it('warns of a trusted proxy without the address that partners use', () => {
    const trusted = { STAVE_TRUST_PROXY: 'loopback' };
    expect(checkSettings(readConfig(trusted))).toMatchObject({
      status: 'warning',
      advice: expect.stringContaining('set STAVE_PUBLIC_URL'),
    });
    const named = { ...trusted, STAVE_PUBLIC_URL: 'https://api.example.com' };
    for (const env of [{}, named]) {
      expect(checkSettings(readConfig(env))).toMatchObject({ status: 'ok', detail: 'good' });
    }
  });
});

describe('checkNode', () => {
  it('requires Node 24', () => {
    expect(checkNode('24.0.0').status).toBe('ok');
    expect(checkNode('26.1.0').status).toBe('ok');
    expect(checkNode('22.18.0').status).toBe('failed');
  });
});

describe('checkDataFolder', () => {
  it.runIf(process.getuid?.() === 0)(
    'warns of media and of a lock whose owner is not that of the folder (skipped except for root)',
    async () => {
      const data = join(folder, 'sudo');
      mkdirSync(join(data, 'media', 'ab'), { recursive: true, mode: 0o700 });
      writeFileSync(join(data, 'lock.db'), '');
      const config = readConfig({ STAVE_DATA: data });
      expect((await checkDataFolder(config)).status).toBe('ok');
      for (const path of [join(data, 'media', 'ab'), join(data, 'lock.db')]) {
        chownSync(path, 65_534, 65_534);
        expect(await checkDataFolder(config)).toMatchObject({
          status: 'warning',
          detail: `${path} belongs to another user than ${data}`,
        });
      }
    },
  );

  it.runIf(process.getuid?.() !== 0)(
    'fails if media cannot be written (skipped for root, who may write everywhere)',
    async () => {
      const data = join(folder, 'closed-media');
      mkdirSync(join(data, 'media', 'ab'), { recursive: true, mode: 0o700 });
      chmodSync(join(data, 'media', 'ab'), 0o500);
      const config = readConfig({ STAVE_DATA: data });
      expect(await checkDataFolder(config)).toMatchObject({ status: 'failed' });
    },
  );

  it('warns of a folder that everybody can read', async () => {
    const config = (name: string) => readConfig({ STAVE_DATA: join(folder, name) });
    mkdirSync(join(folder, 'open'), { mode: 0o755 });
    mkdirSync(join(folder, 'closed'), { mode: 0o700 });
    expect((await checkDataFolder(config('open'))).status).toBe('warning');
    expect((await checkDataFolder(config('closed'))).status).toBe('ok');
    expect((await checkDataFolder(config('absent/below'))).status).toBe('ok');
  });
});

describe('checkSpace', () => {
  it('checks the disk of the nearest folder that exists', async () => {
    const finding = await checkSpace(readConfig({ STAVE_DATA: join(folder, 'not', 'yet') }));
    expect(finding.detail).toMatch(/^\d+ MB free$/);
  });
});

describe.skipIf(!certified)('checkTls (needs openssl)', () => {
  const at = (days: number) => Date.now() + days * DAY;
  it.each([
    [0, 'ok', 'is good for 29 days'],
    [20, 'warning', 'ends in 9 days'],
    [31, 'failed', 'has expired at '],
    [-1, 'failed', 'is not valid before '],
  ])('reports in %i days: %s, the certificate %s', async (days, status, detail) => {
    expect(await checkTls(configured('one.crt', 'one.key'), at(days))).toMatchObject({
      status,
      detail: expect.stringContaining(`the certificate ${detail}`),
    });
  });

  it.each([
    [
      'one.crt',
      'other.key',
      /_KEY \(\S+other\.key\) is not the key of STAVE_TLS_CERT \(\S+one\.crt\)/,
    ],
    ['one.key', 'one.key', /_CERT \(\S+one\.key\) contains no certificate in PEM/],
    ['empty', 'one.key', /_CERT \(\S+empty\) contains no certificate in PEM/],
    ['one.crt', 'empty', /_KEY \(\S+empty\) contains no private key in PEM/],
    [
      'one.crt',
      'old-encrypted.key',
      /_KEY \(\S+\) is encrypted: store the key without a passphrase/,
    ],
    ['one.crt', 'encrypted.key', /_KEY \(\S+\) is encrypted: store the key without a passphrase/],
    [
      'broken-chain.crt',
      'one.key',
      /OpenSSL refuses STAVE_TLS_CERT \(\S+broken-chain\.crt\) with /,
    ],
    ['absent.crt', 'one.key', /_CERT cannot be read from \S+absent\.crt \(ENOENT\)/],
  ])('refuses %s with %s', async (certFile, keyFile, reason) => {
    const key = createPrivateKey(readFileSync(join(folder, 'one.key')));
    const secret = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'sesame' } as const;
    writeFileSync(join(folder, 'encrypted.key'), key.export({ ...secret, type: 'pkcs8' }));
    writeFileSync(join(folder, 'old-encrypted.key'), key.export({ ...secret, type: 'sec1' }));
    writeFileSync(join(folder, 'empty'), '');
    const chain = `${readFileSync(join(folder, 'one.crt'))}-----BEGIN CERTIFICATE-----\nAAAA\n`;
    writeFileSync(join(folder, 'broken-chain.crt'), chain);
    const checked = checkTls(configured(certFile, keyFile), Date.now());
    await expect(checked).rejects.toThrow(reason);
  });

  it('reports no problem without TLS', async () => {
    expect((await checkTls(readConfig({}), Date.now())).status).toBe('ok');
  });
});
