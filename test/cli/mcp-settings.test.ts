import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stave } from '../harness/cli.ts';
import { startTestServer } from '../harness/test-server.ts';

const NOWHERE = '/nonexistent/stave';

describe('stave mcp without valid settings', () => {
  const run = (env: Record<string, string>) => stave(NOWHERE, ['mcp'], { env });

  it('needs credentials', async () => {
    const ran = await run({ STAVE_CLIENT_ID: 'x' });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toBe(
      'stave: STAVE_CLIENT_ID and STAVE_CLIENT_SECRET are needed: the credentials of a client\n',
    );
    expect(existsSync(NOWHERE)).toBe(false);
  });

  it('reports wrong credentials without showing them', async () => {
    const server = await startTestServer({ tracks: [] });
    const { clientId } = await server.createClient();
    const ran = await run({
      STAVE_URL: server.address,
      STAVE_CLIENT_ID: clientId,
      STAVE_CLIENT_SECRET: 'sesame',
    });
    await server.close();
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: http:\/\/127\.0\.0\.1:\d+: [^\n]+\n$/);
    expect(ran.stderr).not.toContain('sesame');
  });

  it('reports a service that cannot be reached', async () => {
    const ran = await run({
      STAVE_URL: 'http://127.0.0.1:1',
      STAVE_CLIENT_ID: 'x',
      STAVE_CLIENT_SECRET: 'y',
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('http://127.0.0.1:1: The service cannot be reached');
  });

  it.each([
    ['STAVE_URL', 'ftp://sesame'],
    ['STAVE_CLIENT_ID', 'open sesame'],
    ['STAVE_CLIENT_SECRET', 'sesame\n'],
  ])('refuses %s=%j without showing it', async (name, value) => {
    const ran = await run({ [name]: value });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(new RegExp(`^stave: ${name} (?:must|ends) [^\\n]+\\n$`));
    expect(ran.stderr).not.toContain('sesame');
  });

  it.each(['-1', '65536', 'x', ''])('refuses the port %j', async (port) => {
    const ran = await stave(NOWHERE, ['mcp', '--port', port]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('It must be a whole number from 0 to 65535.');
  });
});
