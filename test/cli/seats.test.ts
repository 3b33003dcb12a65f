import { describe, expect, it } from 'vitest';
import { stave, staveJson, temporaryFolder } from '../harness/cli.ts';

const ID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);

async function withClient(data: string): Promise<string> {
  return (await staveJson(data, ['clients', 'create', '-n', 'Acme Video', '-s', 'tracks']))
    .clientId;
}

describe('stave seats', () => {
  it('creates, shows, changes, disables and removes seats', async () => {
    using folder = temporaryFolder();
    const data = folder.path;
    const clientId = await withClient(data);
    const created = await staveJson(data, ['seats', 'create', 'acme video', 'Ana', '-r', 'buyer']);
    expect(created).toEqual({
      ...{ id: ID, clientId, name: 'Ana', role: 'buyer', mode: 'live', enabled: true },
      ...{ createdAt: expect.any(String), lastUsedAt: null, sessions: 0 },
      linkExpiresAt: expect.any(String),
      expiresAt: created.linkExpiresAt,
      url: expect.stringMatching(/^http:\/\/localhost:\d+\/sign-in#[0-9A-Za-z]{22}$/),
    });
    const { id } = created;
    const { url: _, expiresAt: __, ...seat } = created;
    expect(await staveJson(data, ['seats', 'list', 'Acme Video'])).toEqual([seat]);
    const change = ['--name', 'Anna', '--role', 'listener', '--mode', 'test'];
    expect(await staveJson(data, ['seats', 'update', id, ...change])).toMatchObject({
      ...{ name: 'Anna', role: 'listener', mode: 'test' },
    });
    const table = (await stave(data, ['seats', 'list'])).stdout;
    expect(table).toMatch(/Acme Video +Anna +listener +test +yes/);
    expect(await staveJson(data, ['seats', 'disable', id])).toEqual({
      ...{ id, enabled: false, changed: true },
    });
    expect((await stave(data, ['seats', 'disable', id])).stdout).toBe(
      `${id} was already disabled\n`,
    );
    const link = await stave(data, ['seats', 'link', id]);
    expect([link.code, link.stderr]).toEqual([1, expect.stringContaining('enable it first')]);
    await staveJson(data, ['seats', 'enable', id]);
    const valid = ['--valid', '12h'];
    const again = await staveJson(data, ['seats', 'link', id.toUpperCase(), ...valid]);
    expect(Date.parse(again.expiresAt) - Date.now()).toBeLessThanOrEqual(12 * 3_600_000);
    expect(await staveJson(data, ['seats', 'end-sessions', id])).toEqual({ id, ended: 0 });
    expect(await staveJson(data, ['seats', 'remove', id])).toEqual({ id });
    expect(await staveJson(data, ['seats', 'list'])).toEqual([]);
    const log = await staveJson(data, ['log', '--entity', 'seat', '--limit', '20']);
    expect(log.map(({ kind }: { kind: string }) => kind)).toEqual([
      ...['deleted', 'link_created', 'enabled', 'disabled', 'updated', 'created'],
    ]);
    expect(new Set(log.map(({ name }: { name: string }) => name))).toEqual(new Set(['Anna']));
  });

  it('makes links with the address of the service, and says if it is not known', async () => {
    using folder = temporaryFolder();
    const data = folder.path;
    await withClient(data);
    const { id } = await staveJson(data, ['seats', 'create', 'Acme Video', 'Ana', '-r', 'buyer']);
    const link = (env: Record<string, string>) =>
      stave(data, ['seats', 'link', id, '--json'], { env });
    const local = await link({ PORT: '9123' });
    expect(local.json.url).toContain('http://localhost:9123/sign-in#');
    expect(local.stderr).toContain('set STAVE_PUBLIC_URL');
    const known = await link({ STAVE_PUBLIC_URL: 'https://music.example.com' });
    expect(known.json.url).toContain('https://music.example.com/sign-in#');
    expect(known.stderr).not.toContain('STAVE_PUBLIC_URL');
  });

  it.each([
    [['create', 'Acme Video', ' ', '-r', 'buyer'], 'It must not be empty'],
    [['create', 'Acme Video', 'x'.repeat(81), '-r', 'buyer'], 'must have 1 to 80 characters'],
    [['create', 'Acme Video', 'a\u202eb', '-r', 'buyer'], 'none that control lines or directions'],
    [['create', 'Acme Video', 'ana', '-r', 'buyer'], 'has a seat with the name "ana" already'],
    [['create', 'Acme Video', 'Bo', '-r', 'boss'], 'Allowed choices are listener, buyer.'],
    [['create', 'Acme Video', 'Bo'], "required option '-r, --role <role>' not specified"],
    [['create', 'Nobody', 'Bo', '-r', 'buyer'], 'There is no client Nobody'],
    [['create', 'Acme Video', 'Bo', '-r', 'buyer', '--valid', '31d'], 'from 1 hour to 30 days'],
    [['create', 'Acme Video', 'Bo', '-r', 'buyer', '--valid', '0h'], 'from 1 hour to 30 days'],
    [['create', 'Acme Video', 'Bo', '-r', 'buyer', '--valid', '90m'], 'such as 12h or 7d'],
    [['link', 'none'], 'There is no seat none'],
    [['remove', 'none'], 'There is no seat none'],
    [['update', 'none', '--name', 'A'], 'There is no seat none'],
    [['update', 'none'], 'nothing to change'],
  ])('refuses %j', async (args, message) => {
    using folder = temporaryFolder();
    const data = folder.path;
    await withClient(data);
    await stave(data, ['seats', 'create', 'Acme Video', 'Ana', '-r', 'buyer']);
    const ran = await stave(data, ['seats', ...args]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(await staveJson(data, ['seats', 'list'])).toHaveLength(1);
  });
});
