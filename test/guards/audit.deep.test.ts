import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../harness/cli.ts';
import { ROOT } from './source.ts';

/** Runs `.ci/audit` with a registry that knows advisories by the name of their package; undefined: it knows no audits. */
async function audit(
  advisories: Record<string, { severity: string }> | undefined,
  ...args: string[]
) {
  using cache = temporaryFolder();
  const asked: Record<string, string[]>[] = [];
  const listener: RequestListener = async (request, response) => {
    const isAudit = request.url?.endsWith('/advisories/bulk');
    if (advisories === undefined || !isAudit) return response.writeHead(405).end();
    const names = (await json(request.pipe(createGunzip()))) as Record<string, string[]>;
    asked.push(names);
    const found = Object.entries(advisories)
      .filter(([name]) => names[name] !== undefined)
      .map(([name, one]) => {
        const about = {
          id: 1,
          title: 'It breaks',
          url: 'https://example.com/1',
          vulnerable_versions: '*',
        };
        return [name, [{ ...about, ...one }]];
      });
    response.end(JSON.stringify(Object.fromEntries(found)));
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      // npm remembers advisories by their ids.
      npm_config_cache: cache.path,
    };
    const child = spawn(`${ROOT}/.ci/audit`, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { output, code, asked };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

it('asks for every package, and passes if none has a vulnerability', async () => {
  const { output, code, asked } = await audit({});
  expect(output.match(/found 0 vulnerabilities/g)).toHaveLength(2);
  expect(code).toBe(0);
  expect(asked.map((names) => ['fastify', 'vitest'].map((name) => name in names))).toEqual([
    [true, false],
    [true, true],
  ]);
});

it.each([
  ['fastify', 'moderate', 1],
  ['fastify', 'low', 0],
  ['vitest', 'high', 0],
  ['vitest', 'critical', 1],
])('if %s has a %s vulnerability, ends with %i', async (name, severity, code) => {
  const ran = await audit({ [name]: { severity } });
  expect(ran).toMatchObject({ code });
  expect(ran.output).not.toContain('NOT CHECKED');
  if (code === 1) expect(ran.output).toContain(name);
});

it('says if the registry does not answer, and fails only if the audit is required', async () => {
  const ran = await audit(undefined);
  expect(ran.output.match(/^NOT CHECKED: npm audit /gm)).toHaveLength(2);
  expect(ran.code).toBe(0);
  expect((await audit(undefined, '--required')).code).toBe(1);
});
