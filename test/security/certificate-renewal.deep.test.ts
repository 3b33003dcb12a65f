import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateFiles } from '../../src/app/certificate-files.ts';
import { writeCertificate } from '../harness/certificate.ts';
import {
  type Json,
  type Serving,
  serve,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { TestClock } from '../harness/clock.ts';
import { freePort } from '../harness/free-port.ts';
import { keptLog } from '../harness/log-lines.ts';
import { until } from '../harness/until.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

type Files = NonNullable<ReturnType<typeof writeCertificate>>;

function certificate(name: string): Files {
  mkdirSync(folder.at(name));
  return writeCertificate(folder.at(name))!;
}

/** The certificate that a port shows on a new connection. */
function shown(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      const { raw } = socket.getPeerCertificate() as PeerCertificate;
      socket.destroy();
      resolve(raw.toString('base64'));
    });
    socket.once('error', reject);
  });
}

function contentOf({ cert }: Files): string {
  return readFileSync(cert, 'utf8').replace(/-----.*-----|\n/g, '');
}

/** Until every connection gets this certificate: with workers, the system chooses one for each connection. */
function untilShown(ports: readonly number[], files: Files): Promise<unknown> {
  const wanted = contentOf(files);
  return until(async () => {
    const all = await Promise.all(
      Array.from({ length: 12 }, () => ports.map((port) => shown(port))).flat(),
    );
    return all.every((one) => one === wanted);
  }, 'the certificate to be shown');
}

async function tlsFinding(data: string, env: Record<string, string>): Promise<Json> {
  const { json } = await staveProcess(data, ['doctor', '--json'], { env });
  return json.findings.find(({ check }: { check: string }) => check === 'tls');
}

const available = writeCertificate(temporaryFolder().path) !== undefined;

describe.skipIf(!available)('the renewal of a certificate (needs openssl)', () => {
  async function serveWith(files: Files, args: string[] = []) {
    const [console, metrics] = [await freePort(), await freePort()];
    const env = {
      PORT: String(await freePort()),
      STAVE_TLS_CERT: files.cert,
      STAVE_TLS_KEY: files.key,
      STAVE_CONSOLE_PORT: String(console),
      STAVE_METRICS_PORT: String(metrics),
    };
    const service = await serve(folder.at('data'), env, args);
    const ports = [Number(new URL(service.url).port), console];
    const expiry = async () => {
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      const lines = text.split('\n').filter((line) => /^stave_tls_certificate_expiry/.test(line));
      return lines.map((line) => Number(line.split(' ')[1]) * 1_000);
    };
    const doctor = (more = {}) => tlsFinding(folder.at('data'), { ...env, ...more });
    return { service, ports, expiry, doctor };
  }

  it.each([1, 2])('shows files that are replaced, with %i workers', async (workers) => {
    const [first, second] = [certificate('first'), certificate('second')];
    // As certbot and Kubernetes do: the files stay links, and what they lead to is another.
    symlinkSync(dirname(first.cert), folder.at('live'));
    const live = { cert: folder.at('live', 'cert.pem'), key: folder.at('live', 'key.pem') };
    const { service, ports, expiry, doctor } = await serveWith(live, ['--workers', `${workers}`]);
    await using _service = service;
    await untilShown(ports, first);
    expect(await doctor()).toMatchObject({ status: 'ok' });
    symlinkSync(dirname(second.cert), folder.at('next'));
    renameSync(folder.at('next'), folder.at('live'));
    await untilShown(ports, second);
    expect(service.output()).toContain('the certificate has been read again');
    expect(await doctor()).toMatchObject({ status: 'ok' });
    const ends = await expiry();
    expect(ends).toHaveLength(workers);
    for (const at of ends)
      expect(Math.abs(at - Date.now() - 30 * 86_400_000)).toBeLessThan(600_000);
  });

  it.each([1, 2])(
    'keeps the pair before one that does not match, with %i workers',
    async (workers) => {
      const [first, second] = [certificate('first'), certificate('second')];
      const live = certificate('live');
      const { service, ports, expiry, doctor } = await serveWith(live, ['--workers', `${workers}`]);
      await using _service: Serving = service;
      const before = { cert: folder.at('before.pem'), key: live.key };
      copyFileSync(live.cert, before.cert);
      const refusals = () =>
        service.output().split('the new certificate cannot be used').length - 1;
      for (const [i, file] of [live.key, live.cert].entries()) {
        const content = readFileSync(file);
        writeFileSync(file, '');
        service.child.kill('SIGHUP');
        await until(() => refusals() > i, 'the refusal of an empty file');
        writeFileSync(file, content);
      }
      copyFileSync(first.cert, live.cert);
      await until(() => refusals() > 2, 'the refusal of a certificate of another key');
      await untilShown(ports, before);
      expect(await expiry()).toHaveLength(workers);
      expect(await doctor()).toMatchObject({ status: 'failed' });
      writeFileSync(live.key, readFileSync(first.key));
      await untilShown(ports, first);
      // A signal needs no second look, and never ends the service.
      copyFileSync(second.cert, live.cert);
      copyFileSync(second.key, live.key);
      service.child.kill('SIGHUP');
      await untilShown(ports, second);
      expect(await service.stop()).toBe(0);
      expect(service.output()).toContain('SIGHUP: reading the certificate again');
    },
  );

  it('warns of a certificate outside of its period, at the start and when it is read again', async () => {
    const { cert: certFile, key: keyFile } = certificate('live');
    const clock = new TestClock(Date.now() + 31 * 86_400_000);
    const { log, lines } = keptLog();
    using files = await CertificateFiles.open({ certFile, keyFile }, { clock, log });
    await files.reload();
    clock.advance(-62 * 86_400);
    await files.reload();
    const messages = lines.map(({ level, message }) => `${level}: ${message.replace(/ \S+$/, '')}`);
    expect(messages).toEqual([
      'warn: the certificate has expired at',
      'info: the certificate has been read',
      'warn: the certificate has expired at',
      'info: the certificate has been read',
      'warn: the certificate is not valid before',
    ]);
  });

  it('lets doctor tell the served certificate from that of the file', async () => {
    const [live, other] = [certificate('live'), certificate('other')];
    const { service, doctor } = await serveWith(live);
    await using _service = service;
    expect(await doctor()).toMatchObject({ status: 'ok' });
    const finding = await doctor({ STAVE_TLS_CERT: other.cert, STAVE_TLS_KEY: other.key });
    expect(finding).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining(`another certificate than ${other.cert}`),
    });
  });
});

it('goes on after SIGHUP without a certificate, with a line', async () => {
  await using service = await serve(folder.at('data'));
  service.child.kill('SIGHUP');
  await until(() => service.output().includes('SIGHUP'), 'the line of the log');
  expect((await service.get('/health-check')).status).toBe(200);
});
