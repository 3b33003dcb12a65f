import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyCommand, helpOf, shellForHelp } from '../../scripts/reference/command-line.ts';
import { SETTINGS } from '../../src/app/config/settings.ts';
import { buildProgram } from '../../src/operator/cli/program.ts';
import { environment, MAIN, stave, staveProcess, temporaryFolder } from '../harness/cli.ts';

const nowhere = '/nonexistent/stave';

describe('the command line', () => {
  it.each([
    [['sevre'], "unknown command 'sevre' (Did you mean serve?)"],
    [['clients', 'crate'], "unknown command 'crate' (Did you mean create?)"],
    [['log', '--limt', '3'], "unknown option '--limt' (Did you mean --limit?)"],
    [['tracks', 'show'], "missing required argument 'slug'"],
    [['tracks', 'show', 'a', 'b'], 'too many arguments'],
    [['import'], "missing required argument 'path'"],
    [['import', 'x', '--type', 'noise'], 'Allowed choices are music, sfx.'],
    [['import', 'x', '--explain', '--suggest-map'], "cannot be used with option '--suggest-map'"],
    [['import', 'x', 'y', '--explain'], '--explain reads one file at a time: name one'],
    [['playlists', 'add', 'x'], "required option '-t, --tracks <slugs>' not specified"],
    [['backup'], "missing required argument 'path'"],
  ])('refuses %j with one line and exit code 1', async (args, hint) => {
    const ran = await stave(nowhere, args);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
    expect(ran.stderr).toContain(hint);
  });

  it.each([
    ['backup', ''],
    ['restore', ''],
    ['restore', 'x', '--log-of', ''],
    ['import', ''],
    ['import', 'x', ''],
    ['import', 'x', '--source', ''],
    ['import', 'x', '--map', ''],
    ['import', 'x', '--rejects', ''],
    ['import', 'undo', ''],
    ['licenses', 'import', ''],
    ['licenses', 'import', 'x', '--rejects', ''],
    ['migrate-store', '--from', ''],
    ['migrate-store', '--to', ''],
    ['migrate-media', '--from', ''],
    ['migrate-media', '--to', ''],
    ['playlists', 'show', ''],
    ['tracks', 'takedown', ''],
    ['tracks', 'takedown', '--file', ''],
    ['tracks', 'restore', '--source', ''],
    ['tracks', 'takedown', 'x', '--reason', ' '],
    ['tracks', 'find', ''],
    ['tracks', 'report', ''],
    ['log', '--reason', ''],
    ['clients', 'show', ' '],
  ])(
    'refuses an empty argument, which a shell passes for an unset variable: %j',
    async (...args) => {
      const ran = await stave(nowhere, args);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: [^\n]+ It must not be empty\.\n$/);
      expect(existsSync(nowhere)).toBe(false);
    },
  );

  it('shows its help and exits with 1 without a command', async () => {
    for (const args of [[], ['clients'], ['playlists']]) {
      const ran = await stave(nowhere, args);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^Usage: stave/);
    }
  });

  it('shows help and version on stdout and exits with 0', async () => {
    const help = await stave(nowhere, ['clients', 'create', '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('$ stave clients create');
    expect((await stave(nowhere, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('has the same output and exit code as a process', async () => {
    const misused = await staveProcess(nowhere, ['sevre']);
    expect(misused).toMatchObject({ code: 1, stdout: '' });
    expect(misused.stderr).toBe("stave: unknown command 'sevre' (Did you mean serve?)\n");
    const help = await staveProcess(nowhere, ['log', '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    const doctor = await staveProcess(nowhere, ['doctor'], { env: { PORT: 'x' } });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain('✗ settings: PORT must be a whole number');
  });

  it.each([
    [{ STAVE_DTA: 'sesame' }, 'STAVE_DTA is not a setting: did you mean STAVE_DATA?'],
    [{ PORT: 'sesame' }, 'PORT must be a whole number from 0 to 65535'],
    [{ STAVE_DATABASE_URL: 'mysql://u:sesame@h/d' }, 'STAVE_DATABASE_URL must be postgres://'],
    [{ STAVE_DATABASE_URL: 'postgres://u:sesame@h/' }, 'STAVE_DATABASE_URL must be postgres://'],
    [{ STAVE_REDIS_URL: 'http://sesame' }, 'STAVE_REDIS_URL must be redis://'],
    [{ STAVE_MEDIA_URL: 's3://Sesame/..' }, 'STAVE_MEDIA_URL must be s3://BUCKET'],
    [{ STAVE_MEDIA_DELIVERY: 'sesame' }, 'STAVE_MEDIA_DELIVERY must be redirect or proxy'],
    [{ STAVE_WEBHOOK_TARGETS: 'sesame' }, 'STAVE_WEBHOOK_TARGETS must be public or any'],
    [{ STAVE_PREVIEW_THREADS: 'sesame' }, 'STAVE_PREVIEW_THREADS must be a whole number from 0'],
    [{ STAVE_STREAM: 'sesame' }, 'STAVE_STREAM must be playable, mp3 or original'],
    [{ STAVE_STREAM_KBPS: 'sesame' }, 'STAVE_STREAM_KBPS must be one of 64, 80'],
    [{ STAVE_STREAM_AHEAD: 'sesame' }, 'STAVE_STREAM_AHEAD must be a whole number from 0'],
    [{ STAVE_STREAM_CACHE_GB: '0' }, 'STAVE_STREAM_CACHE_GB must be a whole number from 1'],
    [{ STAVE_STALE_LIMIT: '0' }, 'STAVE_STALE_LIMIT must be a whole number from 1'],
    [{ STAVE_TLS_CERT: '/sesame.pem' }, 'STAVE_TLS_KEY is missing'],
  ])('refuses the environment %j without showing values', async (env, hint) => {
    for (const args of [['serve'], ['log']]) {
      const ran = await stave(nowhere, args, { env: env as Record<string, string> });
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
      expect(ran.stderr).toContain(hint);
      expect(ran.stderr).not.toContain('sesame');
    }
    expect(existsSync(nowhere)).toBe(false);
  });

  it('shows a stack only with STAVE_LOG_LEVEL=debug', async () => {
    using folder = temporaryFolder();
    const args = ['tracks', 'show', 'nope'];
    expect((await stave(folder.path, args)).stderr).not.toContain('    at ');
    const ran = await stave(folder.path, args, { env: { STAVE_LOG_LEVEL: 'debug' } });
    expect(ran.stderr).toContain('    at ');
    expect(ran.stderr).toMatch(/^stave: There is no track nope\.$/m);
  });

  it('continues when the reader of its output ends', async () => {
    using folder = temporaryFolder();
    const child = spawn(process.execPath, [MAIN, 'clients', 'create', '-n', 'A', '-s', 'search'], {
      env: environment(folder.path),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|stave:/);
  });
});

describe('the help of each command', async () => {
  const commands = everyCommand(await buildProgram(shellForHelp())).filter(
    ({ command }) => command.commands.length === 0 || command.registeredArguments.length > 0,
  );

  it.each(commands.map((one) => [one.path, one] as const))(
    '%s has the option --json and valid examples',
    (path, { command }) => {
      const help = helpOf(command);
      expect(command.options.map(({ long }) => long)).toContain('--json');
      const examples = [...help.matchAll(/^ {2}\$ (.+)$/gm)].map((match) => match[1]!);
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        expect(example).toContain(path);
        const flags = example.match(/(?<= )--?[a-z][a-z-]*/g) ?? [];
        const known = command.options.flatMap(({ long, short }) => [long, short]);
        expect(known).toEqual(expect.arrayContaining(flags));
      }
    },
  );

  it('belongs to one of these commands', () => {
    expect(commands.map(({ path }) => path.replace(/^stave /, ''))).toEqual([
      'serve',
      'import',
      'import list',
      'import undo',
      'clients create',
      'clients import',
      'clients list',
      'clients show',
      'clients update',
      'clients disable',
      'clients enable',
      'clients rotate-secret',
      'clients revoke-secret',
      'seats create',
      'seats list',
      'seats update',
      'seats disable',
      'seats enable',
      'seats remove',
      'seats link',
      'seats end-sessions',
      'requests',
      'playlists create',
      'playlists update',
      'playlists delete',
      'playlists add',
      'playlists remove',
      'playlists reorder',
      'playlists grant',
      'playlists revoke',
      'playlists list',
      'playlists show',
      'playlists translate',
      'filters translate',
      'brief synonyms import',
      'brief synonyms list',
      'languages',
      'collections list',
      'collections show',
      'saved-searches list',
      'webhooks list',
      'webhooks show',
      'webhooks deliveries',
      'webhooks disable',
      'webhooks enable',
      'webhooks replay',
      'webhooks ping',
      'previews status',
      'previews build',
      'previews retry',
      'previews show',
      'sound status',
      'sound build',
      'sound show',
      'tracks find',
      'tracks show',
      'tracks edit',
      'tracks report',
      'tracks provenance',
      'tracks takedown',
      'tracks restore',
      'rate-cards publish',
      'rate-cards list',
      'rate-cards show',
      'rate-cards withdraw',
      'quotes list',
      'licenses list',
      'licenses show',
      'licenses revoke',
      'licenses export',
      'licenses import',
      'usage cue-sheet',
      'usage export',
      'usage summary',
      'usage purge',
      'report partner',
      'report catalog',
      'keys list',
      'keys rotate',
      'console password',
      'operators add',
      'operators list',
      'operators update',
      'operators disable',
      'operators enable',
      'operators remove',
      'operators reset',
      'log',
      'changes status',
      'changes new-epoch',
      'backup',
      'backup list',
      'backup verify',
      'backup restore',
      'restore',
      'migrate-store',
      'migrate-media',
      'compact',
      'demo remove',
      'upgrade',
      'doctor',
      'mcp',
    ]);
  });

  it('of serve names every setting', () => {
    const serve = commands.find(({ path }) => path === 'stave serve')!;
    for (const { name } of Object.values(SETTINGS)) {
      expect(helpOf(serve.command)).toContain(name);
    }
  });
});

describe('npm exec --no stave', () => {
  it('runs from the checkout with any Node on the machine', () => {
    const { PATH = '' } = process.env;
    const own = PATH.split(':').filter((folder) => !folder.includes('node_modules'));
    const ran = spawnSync('npm', ['exec', '--no', 'stave', '--', 'keys', 'rotate', '--help'], {
      cwd: join(MAIN, '..', '..'),
      env: { ...environment(nowhere), PATH: own.join(':') },
      encoding: 'utf8',
    });
    expect(ran.stdout).toMatch(/^Usage: stave keys rotate/);
    expect(ran.status).toBe(0);
  });
});

/** Another Node of this machine, if there is one. This process never runs an older one. */
const otherNode = ['/usr/bin/node', '/usr/local/bin/node'].find(existsSync);
const otherVersion = otherNode && spawnSync(otherNode, ['--version'], { encoding: 'utf8' }).stdout;
const older = otherVersion !== undefined && Number(/^v(\d+)/.exec(otherVersion)?.[1]) < 24;

describe('bin/main.mjs on an older Node', () => {
  it.skipIf(!older)('fails and changes nothing (skipped if the machine has none)', () => {
    using folder = temporaryFolder();
    const ran = spawnSync(
      otherNode!,
      [join(MAIN, '..', '..', 'bin', 'main.mjs'), 'clients', 'list'],
      {
        env: environment(folder.path),
        encoding: 'utf8',
      },
    );
    expect(ran.status).toBe(1);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toMatch(
      /^stave: needs Node 24 or later, and this is v[^\n]+ run `bin\/stave`[^\n]+\n$/,
    );
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
