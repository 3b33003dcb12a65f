import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { xlsx } from '../../src/features/import/decode/xlsx.test-support.ts';
import {
  type Json,
  serve,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';

let folder: TemporaryFolder;
let data: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = folder.at('data');
});
afterEach(() => folder[Symbol.dispose]());

const HEADING = 'name,scopes,features,rate limit,account,rateCard\n';

function file(name: string, content: string): string {
  writeFileSync(folder.at(name), content);
  return folder.at(name);
}

const importing = (path: string, ...args: string[]) =>
  stave(data, ['clients', 'import', path, ...args]);
const list = () => staveJson(data, ['clients', 'list']);

describe('stave clients import', () => {
  it('creates fifty partners whose secrets work, in a file that only the owner reads', async () => {
    const rows = Array.from({ length: 50 }, (_, n) => `Partner ${n},"tracks, search",usage,,,`);
    const path = file('partners.csv', `${HEADING}${rows.join('\n')}\n`);
    const secrets = folder.at('secrets.csv');
    const ran = await importing(path, '--secrets', secrets, '--json');
    expect([ran.code, ran.json.created.length]).toEqual([0, 50]);
    expect(ran.stdout).not.toContain('stave_live_');
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    const [heading, ...lines] = readFileSync(secrets, 'utf8').trimEnd().split('\n');
    expect(heading).toBe('name,clientId,testSecret,liveSecret');
    const clients: Json[] = await list();
    expect(new Set(lines.map((line) => line.split(',').slice(0, 2).join()))).toEqual(
      new Set(clients.map(({ name, clientId }) => `${name},${clientId}`)),
    );
    expect(clients[0]).toMatchObject({
      scopes: ['tracks', 'search', 'usage'],
      features: ['usage'],
    });
    await using service = await serve(data);
    const [, clientId, testSecret, liveSecret] = lines[49]!.split(',');
    expect(await service.token(clientId!, liveSecret!)).toMatch(/^ey/);
    expect(await service.token(clientId!, testSecret!)).toMatch(/^ey/);
  });

  it('reads a workbook', async () => {
    const rows = [
      ['name', 'scopes', 'rateLimit'],
      ['Acme', 'tracks, search', 1200],
    ];
    const path = folder.at('partners.xlsx');
    writeFileSync(path, await xlsx([{ name: 'Partners', rows }]));
    const { json } = await importing(path, '--secrets', folder.at('s.csv'), '--json');
    expect(json.created).toHaveLength(1);
    expect(await list()).toMatchObject([
      { name: 'Acme', scopes: ['tracks', 'search'], rateLimit: 1200 },
    ]);
  });

  it('takes every option of create, from CSV and from NDJSON', async () => {
    const csv = file('a.csv', `${HEADING}Zoë; GmbH,tracks|search,all,1200,Group,games\n`);
    const record = {
      name: 'B',
      scopes: ['tracks'],
      features: 'none',
      rateLimit: 'default',
      account: null,
    };
    const lines = file('b.ndjson', `${JSON.stringify(record)}\n`);
    expect((await importing(csv, '--secrets', folder.at('a.ndjson'), '--allow-missing')).code).toBe(
      0,
    );
    expect((await importing(lines, '--secrets', folder.at('b.csv'))).code).toBe(0);
    const [zoe, b] = (await list()).sort((one: Json) => (one.name === 'B' ? 1 : -1));
    expect(zoe).toMatchObject({
      name: 'Zoë; GmbH',
      rateLimit: 1200,
      account: 'Group',
      rateCard: 'games',
    });
    expect(zoe.features).toHaveLength(9);
    expect(b).toMatchObject({ scopes: ['tracks'], features: [], rateLimit: null, account: null });
    const secret = JSON.parse(readFileSync(folder.at('a.ndjson'), 'utf8'));
    expect(Object.keys(secret)).toEqual(['name', 'clientId', 'testSecret', 'liveSecret']);
  });

  it('names each wrong row with its line and field, and creates nothing', async () => {
    const rows = ['A,tracks,,,,', 'B,trakcs,,fast,,', ',tracks,,,,', 'C,,,0,,Big Card', 'D,tracks'];
    const path = file('p.csv', `${HEADING}${rows.join('\n')}\n`);
    const ran = await importing(path, '--secrets', folder.at('s.csv'));
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    const problems = ran.stderr.trimEnd().split('\n');
    expect(problems.map((one) => one.replace(`${path} `, '').slice(0, 30))).toMatchObject([
      expect.stringMatching(/^line 3: rateLimit: must be a w/),
      expect.stringMatching(/^line 3: scopes: /),
      expect.stringMatching(/^line 4: name: is missing/),
      expect.stringMatching(/^line 5: scopes: is missing/),
      expect.stringMatching(/^line 5: rateLimit: must be/),
      expect.stringMatching(/^line 5: rateCard: must have/),
      expect.stringMatching(/^line 6: the row has 2 cells/),
      expect.stringMatching(/^stave: 4 rows of /),
    ]);
    expect(existsSync(folder.at('s.csv'))).toBe(false);
    expect(existsSync(data)).toBe(false);
    const { json } = await importing(path, '--dry-run', '--json');
    expect(json.problems[0]).toMatchObject({ line: 3, field: 'rateLimit' });
  });

  it.each([
    [
      'a misspelled column',
      'a.csv',
      'nmae,scopes\nA,tracks\n',
      'nmae: is not a member of a client (did you mean name?)',
    ],
    [
      'a JSON value that is no object',
      'a.ndjson',
      '{"name":"A","scopes":"tracks"}\n[1]\n',
      'line 2: must be a JSON object',
    ],
    [
      'a list of numbers',
      'a.ndjson',
      '{"name":"A","scopes":[1]}\n',
      'line 1: scopes: must be a list of words',
    ],
    [
      'a name that is no text',
      'a.ndjson',
      '{"name":{},"scopes":"tracks"}\n',
      'line 1: name: must be a text',
    ],
    [
      'a control character',
      'a.ndjson',
      '{"name":"A\\u001b[2J","scopes":"tracks"}\n',
      'name: must have 1 to 200',
    ],
    ['no rows', 'a.csv', 'name,scopes\n', 'has no clients'],
    ['a document', 'a.json', '[{"name":"A"}]', 'must be CSV, or NDJSON'],
    [
      'bytes that are not UTF-8',
      'a.csv',
      Buffer.from('name,scopes\n\xff,tracks\n', 'latin1'),
      'line 2: name: is not valid UTF-8',
    ],
    ['too many rows', 'a.csv', `name,scopes\n${'A,tracks\n'.repeat(501)}`, 'more than 500 clients'],
    ['too many bytes', 'a.csv', Buffer.alloc(5_000_000, 'x'), 'larger than 4 MiB'],
  ])('refuses %s', async (_, name, content, message) => {
    writeFileSync(folder.at(name), content);
    const ran = await importing(folder.at(name), '--secrets', folder.at('s.csv'));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain('\u001b');
    expect(existsSync(folder.at('s.csv'))).toBe(false);
  });

  it('needs a new file for the secrets, and never overwrites one', async () => {
    const path = file('p.csv', 'name,scopes\nA,tracks\n');
    file('s.csv', 'mine');
    for (const [args, message] of [
      [[], '--secrets FILE is missing'],
      [['--secrets', folder.at('s.txt')], 'must name a file that ends in .csv'],
      [['--secrets', folder.at('s.csv')], 's.csv exists already'],
      [['--secrets', folder.at('no', 's.csv')], 'no such file or folder'],
    ] as const) {
      const ran = await importing(path, ...args);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toContain(message);
    }
    expect(readFileSync(folder.at('s.csv'), 'utf8')).toBe('mine');
    expect(await list()).toEqual([]);
  });

  it('only lists with --dry-run', async () => {
    const path = file('p.csv', 'name,scopes\nA,tracks\nB,search\n');
    const { stdout, code } = await importing(path, '--dry-run');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^2 +A +default[\s\S]*2 clients would be created/m),
    ]);
    expect((await importing(path, '--dry-run', '--json')).json.valid).toHaveLength(2);
    expect(await list()).toEqual([]);
  });

  it('refuses names of other clients and of other rows, unless they are allowed', async () => {
    await staveJson(data, ['clients', 'create', '-n', 'Acme', '-s', 'tracks']);
    const path = file('p.csv', 'name,scopes\nNew,tracks\nACME,tracks\nnew ,tracks\n');
    const ran = await importing(path, '--secrets', folder.at('s.csv'));
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('"ACME" (line 3), "new " (line 4): give --allow-duplicate');
    expect(existsSync(folder.at('s.csv'))).toBe(false);
    const allowed = await importing(path, '--secrets', folder.at('s.csv'), '--allow-duplicate');
    expect(allowed.code).toBe(0);
    expect(await list()).toHaveLength(4);
  });
});

describe('stave clients create', () => {
  const create = (answer?: string) =>
    stave(
      data,
      ['clients', 'create', '-n', 'acme', '-s', 'tracks'],
      answer === undefined
        ? {}
        : {
            terminal: Object.assign(Readable.from([answer]), { isTTY: true }),
          },
    );

  it('asks on a terminal before it gives a second client the same name', async () => {
    await staveJson(data, ['clients', 'create', '-n', 'Acme', '-s', 'tracks']);
    const asked = 'Another client has the name "acme". Create one more? [y/N] ';
    expect(await create('n\n')).toMatchObject({
      code: 1,
      stderr: `${asked}stave: nothing was changed\n`,
    });
    expect(await create('')).toMatchObject({ code: 1 });
    expect(await list()).toHaveLength(1);
    expect(await create('y\n')).toMatchObject({ code: 0 });
    expect(await list()).toHaveLength(2);
  });

  it('refuses without a terminal, unless --allow-duplicate is given', async () => {
    await staveJson(data, ['clients', 'create', '-n', 'Acme', '-s', 'tracks']);
    const ran = await create();
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toBe(
      'stave: Another client has the name "acme": give --allow-duplicate if that is meant\n',
    );
    await staveJson(data, ['clients', 'create', '-n', 'acme', '-s', 'tracks', '--allow-duplicate']);
    expect(await list()).toHaveLength(2);
  });
});
