import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Call } from '../harness/call.ts';
import { environment, openStoreOf, serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { Contract } from '../harness/contract.ts';
import { deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { HttpCaller } from '../harness/http.ts';
import { publishCard } from '../harness/licensing.ts';
import { sell } from '../harness/sold-licenses.ts';

const GUIDE = readFileSync(
  new URL('../../docs/verifying-certificates.md', import.meta.url),
  'utf8',
);
const blocks = [...GUIDE.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!);

/** Debian's, which has its package python3-jwt. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
/** Debian's package of go-jose, golang-gopkg-square-go-jose.v2-dev, is found without a module. */
const GO_JOSE = 'gopkg.in/square/go-jose.v2';
const GO_ENVIRONMENT = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', ...process.env };

function programOf(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(GUIDE)![1]!;
}

/** The program for version 2, which takes no list of algorithms. */
function oldGoJose(program: string): string {
  return program
    .replace('"github.com/go-jose/go-jose/v4"', `jose "${GO_JOSE}"`)
    .replace(', []jose.SignatureAlgorithm{"Ed25519"}', '');
}

/** Returns a program with its parameters, if what it needs is installed. */
function runnable(
  what: string,
  program: string,
  check: string[],
  parameters: string[],
): [program: string, parameters: string[]][] {
  if (spawnSync(program, check, { env: GO_ENVIRONMENT }).status === 0)
    return [[program, parameters]];
  process.stderr.write(`SKIPPED: certificates by ${what}, which is not installed.\n`);
  return [];
}

test('runs the lines of docs/verifying-certificates.md, which verify a certificate and find a change', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const made = await staveJson(data, [
    ...['clients', 'create', '--name', 'Acme', '--scopes', 'tracks'],
    ...['--features', 'licensing'],
  ]);
  const store = await openStoreOf(data);
  await importAll(store, deliveries(0, 2));
  await publishCard(store);
  await store.close();
  await using serving = await serve(data);
  const http = new HttpCaller(serving.url);
  const document = await http.send('GET', '/openapi.json');
  const contract = new Contract(JSON.parse(document.body.toString()));
  const call = new Call({ http, contract });
  const sold = async (secret: string) => {
    const login = await call.perform('createToken', {
      body: {
        grant_type: 'client_credentials',
        client_id: made.clientId,
        client_secret: secret,
      },
    });
    const token = login.data.access_token as string;
    const seller = { call: call.perform.bind(call) };
    return { token, ...(await sell(seller, token, { tracks: [delivery(1).id] })) };
  };
  const { token, number, certificate } = await sold(made.liveSecret);
  const tested = await sold(made.testSecret);
  http.close();

  const [settings, ...steps] = blocks;
  const settingsOf = (license: { number: string; token: string }) =>
    settings!
      .replace('http://127.0.0.1:8080', serving.url)
      .replace('NUMBER=…', `NUMBER=${license.number}`)
      .replace('TOKEN=…', `TOKEN=${license.token}`);
  const start = settingsOf({ number, token });
  const run = async (lines: readonly string[]) => {
    const options = { cwd: folder.path, env: environment(data) };
    return promisify(execFile)('sh', ['-e', '-c', lines.join('\necho\n')], options);
  };
  const programs = [
    ...runnable('PyJWT', PYTHON, ['-c', 'import jwt, cryptography'], ['-c', programOf('python')]),
    ...runnable('go-jose', 'go', ['list', GO_JOSE], ['run', folder.at('verify.go')]),
  ];
  writeFileSync(folder.at('verify.go'), oldGoJose(programOf('go')));
  const byPrograms = () =>
    Promise.allSettled(
      programs.map(async ([program, parameters]) => {
        const options = { cwd: folder.path, env: GO_ENVIRONMENT };
        return (await promisify(execFile)(program, parameters, options)).stdout;
      }),
    );
  const expectVerified = async (license: { number: string }) => {
    for (const one of await byPrograms()) {
      const value = expect.stringContaining(license.number);
      expect(one).toEqual({ status: 'fulfilled', value });
    }
  };
  // The keys of test licenses are others.
  const ofTest = await run([settingsOf(tested), ...steps]);
  expect(ofTest.stdout).toContain('Signature Verified Successfully');
  expect(ofTest.stdout).toContain('"valid":false');
  await expectVerified(tested);
  for (const one of await byPrograms()) {
    expect(one).toHaveProperty('value', expect.stringMatching(/"mode":"test"|^test license/));
  }
  const { stdout } = await run([start, ...steps]);
  expect(stdout).toContain(`"jti":"${number}"`);
  expect(stdout).toContain('Signature Verified Successfully');
  const [, hash] = /"certificateSha256":"([0-9a-f]{64})"/.exec(stdout)!;
  expect(stdout).toMatch(new RegExp(`SHA2-256\\(certificate.jws\\)= ${hash}`));
  expect(stdout).toContain('"valid":true');
  expect(readFileSync(folder.at('certificate.jws'), 'utf8')).toBe(certificate);
  expect(readFileSync(folder.at('license.pdf')).toString('latin1', 0, 5)).toBe('%PDF-');

  await expectVerified({ number });

  const [download, ...others] = steps;
  const change = `sed -i 's/\\.eyJ/.eyK/' certificate.jws`;
  await expect(run([start, download!, change, ...others])).rejects.toThrow();
  for (const one of await byPrograms()) expect(one.status).toBe('rejected');
});
