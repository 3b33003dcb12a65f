import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
  // The keys of test licenses are others.
  const ofTest = await run([settingsOf(tested), ...steps]);
  expect(ofTest.stdout).toContain('Signature Verified Successfully');
  expect(ofTest.stdout).toContain('"valid":false');
  const { stdout } = await run([start, ...steps]);
  expect(stdout).toContain(`"jti":"${number}"`);
  expect(stdout).toContain('Signature Verified Successfully');
  const [, hash] = /"certificateSha256":"([0-9a-f]{64})"/.exec(stdout)!;
  expect(stdout).toMatch(new RegExp(`SHA2-256\\(certificate.jws\\)= ${hash}`));
  expect(stdout).toContain('"valid":true');
  expect(readFileSync(folder.at('certificate.jws'), 'utf8')).toBe(certificate);
  expect(readFileSync(folder.at('license.pdf')).toString('latin1', 0, 5)).toBe('%PDF-');

  if (spawnSync('python3', ['-c', 'import jwt, cryptography']).status === 0) {
    const [, program] = /^```python\n(.*?)^```/ms.exec(GUIDE)!;
    const options = { cwd: folder.path, env: process.env };
    const checked = await promisify(execFile)('python3', ['-c', program!], options);
    expect(checked.stdout).toBe(`valid: ${number}\n`);
  } else process.stderr.write('SKIPPED: certificates by PyJWT, which is not installed.\n');

  const [download, ...others] = steps;
  const change = `sed -i 's/\\.eyJ/.eyK/' certificate.jws`;
  await expect(run([start, download!, change, ...others])).rejects.toThrow();
});
