import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from './source.ts';

const SCRIPT = readFileSync(join(ROOT, 'deploy/stave'), 'utf8');
const UNIT = readFileSync(join(ROOT, 'deploy/stave.service'), 'utf8');
const isRoot = process.getuid?.() === 0;
/** A user of every Linux. */
const NOBODY = 65_534;
/** Prints its user, its arguments, its input and some of its environment, and ends with 7. */
const PROBE = `#!/bin/sh
id -un; umask; pwd
for one in "$@"; do printf '<%s>' "$one"; done; echo
cat
env | grep -E '^(STAVE_|PORT|PASS|HOME|USER|NODE|MINE)' | sort
exit 7
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stave-command-'));
  chmodSync(folder, 0o755);
  write('probe', PROBE, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string, mode = 0o644): string {
  writeFileSync(join(folder, name), text, { mode });
  return join(folder, name);
}

/** Installs the script and the unit below the folder, with the settings and another program. */
function install({
  settings,
  program = join(folder, 'probe'),
  user = 'nobody',
  more = '',
}: {
  settings: string | null;
  program?: string;
  user?: string;
  more?: string;
}): string {
  const env = join(folder, 'stave.env');
  if (settings !== null) write('stave.env', settings, 0o600);
  const unit = UNIT.replaceAll('/etc/stave/stave.env', env)
    .replace(/^User=.*\nGroup=.*$/m, `User=${user}`)
    .replace('/opt/stave/bin/stave', program)
    .replaceAll('/var/lib/stave', join(folder, 'data'))
    .replaceAll('/var/cache/stave', join(folder, 'cache'));
  write('stave-test.service', unit + more);
  const script = SCRIPT.replace('unit=stave.service', 'unit=stave-test.service');
  expect(script).not.toBe(SCRIPT);
  return write('stave', script.replace('/etc/systemd/system', folder), 0o755);
}

function everyUserReads(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  return path === '/' || everyUserReads(dirname(path));
}

function run(
  script: string,
  args: string[],
  {
    uid,
    input = '',
    env: more = {},
  }: { uid?: number; input?: string; env?: Record<string, string> } = {},
) {
  const env = { PATH: process.env.PATH, STAVE_DATA: '/elsewhere', MINE: '1', ...more };
  const ran = spawnSync(script, args, { input, cwd: '/', env, uid, gid: uid, encoding: 'utf8' });
  return { ...ran, lines: ran.stdout.split('\n') };
}

describe.runIf(isRoot)('deploy/stave, run by root (skipped for others)', () => {
  it('keeps arguments, input, folder and exit code, as the user and with the settings of the service', () => {
    const settings = `# a comment
PORT=9000
STAVE_PUBLIC_URL="https://x.example/a b?c=$d"
; another
  PASSWORD='it is "$(id)" \\ done'
PASSED="a \\"b\\" \\\\ c"
STAVE_DEMO=on`;
    const args = ['clients', 'create', '--name', 'Zoë\'s  "Film" $HOME `id` \\ *', '', '--'];
    const ran = run(install({ settings }), args, { input: 'one\ntwo' });
    expect(ran.stderr).toBe('');
    expect(ran.status).toBe(7);
    expect(ran.lines.slice(0, 5)).toEqual([
      'nobody',
      '0077',
      '/',
      args.map((one) => `<${one}>`).join(''),
      'one',
    ]);
    expect(ran.lines.slice(5)).toEqual([
      // The input has no line break at its end.
      'twoHOME=/nonexistent',
      `NODE_COMPILE_CACHE=${join(folder, 'cache')}`,
      'PASSED=a "b" \\ c',
      'PASSWORD=it is "$(id)" \\ done',
      'PORT=9000',
      `STAVE_DATA=${join(folder, 'data')}`,
      // The file counts more than the unit.
      'STAVE_DEMO=on',
      'STAVE_PUBLIC_URL=https://x.example/a b?c=$d',
      'USER=nobody',
      '',
    ]);
  });

  it('passes on who has called sudo, and nothing else of the environment', () => {
    const program = write('sudo-probe', '#!/bin/sh\nenv\n', 0o755);
    const { lines } = run(install({ settings: '', program }), [], { env: { SUDO_USER: 'anna' } });
    expect(lines).toContain('SUDO_USER=anna');
    expect(lines.filter((line) => /^MINE=/.test(line))).toEqual([]);
  });

  it('names the credentials of the unit as systemd does', () => {
    const more = '\n[Service]\nEnvironment=STAVE_REDIS_URL_FILE=%d/redis-url\n';
    expect(run(install({ settings: '', more }), []).lines).toContain(
      'STAVE_REDIS_URL_FILE=/run/credentials/stave-test.service/redis-url',
    );
  });

  it('says that the user of the service cannot read the program', () => {
    mkdirSync(join(folder, 'private'), { mode: 0o700 });
    const program = write('private/probe', PROBE, 0o755);
    expect(run(install({ settings: '', program }), ['x'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `stave: the user nobody cannot read ${program}: install Stave where every user can, such as in /opt/stave\n`,
    });
  });

  // A checkout below /root, for example, can be read by root only.
  it.runIf(everyUserReads(ROOT) || process.env.STAVE_TEST_REQUIRE_SERVICES !== undefined)(
    'runs the program itself, whose data belong to the user of the service',
    () => {
      const data = join(folder, 'data');
      mkdirSync(data, { mode: 0o700 });
      chownSync(data, NOBODY, NOBODY);
      const script = install({
        settings: 'STAVE_LOG_LEVEL=error\n',
        program: join(ROOT, 'bin/stave'),
      });
      const made = run(script, ['clients', 'create', '-n', 'A B', '-s', 'tracks', '--json']);
      expect([made.status, made.stderr]).toEqual([0, expect.stringContaining('Shown once')]);
      expect(statSync(join(data, 'stave.db'))).toMatchObject({ uid: NOBODY });
      expect(JSON.parse(run(script, ['clients', 'list', '--json']).stdout)).toMatchObject([
        { name: 'A B' },
      ]);
      expect(run(script, ['clients', 'show', 'nope'])).toMatchObject({ status: 1 });
    },
  );

  it('needs no file of settings if the unit does not, and heeds drop-ins', () => {
    const more = '\nEnvironment=\nEnvironment=STAVE_DATA=/srv/a "MINE=two words"\n';
    const ran = run(install({ settings: null, more }), ['x']);
    expect(ran.lines).toEqual(expect.arrayContaining(['STAVE_DATA=/srv/a', 'MINE=two words']));
    expect(ran.stdout).not.toContain('STAVE_DEMO');
  });

  it.each([
    ['a line without a name', 'STAVE_DEMO on', 'line 1 of', 'is not NAME=VALUE'],
    ['a line that continues', '\nPORT=1\\\n2', 'line 2 of', 'put the value into double quotes'],
    ['a relative data folder', 'STAVE_DATA=data', 'STAVE_DATA', 'must be an absolute path'],
  ])('refuses %s', (_, settings, ...messages) => {
    const ran = run(install({ settings }), ['x']);
    expect(ran).toMatchObject({ status: 1, stdout: '' });
    for (const message of messages) expect(ran.stderr).toContain(message);
    expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
  });

  it('refuses another user, and a unit whose user or program does not exist', () => {
    const settings = 'PORT=9000\n';
    const refused = run(install({ settings, user: 'daemon' }), ['x'], { uid: NOBODY });
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^stave: run this as root, such as `sudo stave`: .* the user daemon\n$/,
    );
    // The user of the service may run it if the settings can be read.
    const own = run(install({ settings }), ['x'], { uid: NOBODY });
    expect(own.stderr).toMatch(/stave\.env cannot be read: run this as root/);
    chmodSync(join(folder, 'stave.env'), 0o644);
    expect(run(join(folder, 'stave'), ['x'], { uid: NOBODY })).toMatchObject({ status: 7 });
    for (const [wrong, message] of [
      [{ user: 'nobody-at-all' }, 'there is no user nobody-at-all'],
      [{ program: '/nonexistent/stave' }, '/nonexistent/stave cannot be executed'],
    ] as const) {
      const ran = run(install({ settings, ...wrong }), ['x']);
      expect(ran).toMatchObject({ status: 1, stdout: '' });
      expect(ran.stderr).toContain(message);
    }
  });
});

describe('deploy/stave', () => {
  it('says that the unit is missing', () => {
    const script = install({ settings: null });
    rmSync(join(folder, 'stave-test.service'));
    const ran = run(script, ['x']);
    expect(ran).toMatchObject({ status: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /^stave: .*stave-test\.service cannot be read: install the unit first\n$/,
    );
  });

  it('names the unit that is shipped, and reads what it has', () => {
    expect(SCRIPT).toContain('unit=stave.service');
    for (const name of ['User', 'Group', 'Environment', 'EnvironmentFile', 'ExecStart']) {
      expect(SCRIPT).toContain(`values_of ${name}`);
      expect(UNIT).toMatch(new RegExp(`^${name}=`, 'm'));
    }
    expect(readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')).toContain(
      'install -m 755 deploy/stave /usr/local/bin/stave',
    );
  });
});
