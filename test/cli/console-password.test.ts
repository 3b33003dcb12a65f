import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { isPassword } from '../../src/features/access/passwords.ts';
import { openStoreOf, stave, staveJson, storedText, temporaryFolder } from '../harness/cli.ts';

const PASSWORD = 'correct horse battery';

/** A terminal on which somebody types. */
function terminal(typed: string) {
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => raw.push(on),
  });
  stdin.write(typed);
  return { stdin, raw };
}

describe('stave console password', () => {
  it('stores a hash, and logs the change without the password', async () => {
    using folder = temporaryFolder();
    const ran = await stave(folder.path, ['console', 'password', '--stdin'], {
      stdin: `${PASSWORD}\n`,
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const store = await openStoreOf(folder.path);
    const { password: stored } = (await store.operators.get('console'))!;
    await store.close();
    expect(stored).toMatchObject({ N: 2 ** 15, r: 8, p: 3 });
    expect(await isPassword(stored, PASSWORD)).toBe(true);
    expect(await isPassword(stored, `${PASSWORD}\n`)).toBe(false);
    expect(await storedText(folder.path)).not.toContain(PASSWORD);
    const [change] = await staveJson(folder.path, ['log', '--entity', 'console']);
    expect(change).toMatchObject({
      what: 'console.password_set',
      by: expect.stringMatching(/^cli:/),
    });
  });

  it('asks twice on a terminal without showing what is typed', async () => {
    using folder = temporaryFolder();
    const { stdin, raw } = terminal(`${PASSWORD}x\u007f\r${PASSWORD}\r`);
    const ran = await stave(folder.path, ['console', 'password'], { terminal: stdin });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^New password: \nOnce more: \n/);
    expect(ran.stderr).not.toContain(PASSWORD);
    expect(raw).toEqual([true, false]);
    const store = await openStoreOf(folder.path);
    expect(await isPassword((await store.operators.get('console'))!.password, PASSWORD)).toBe(true);
    await store.close();
  });

  it.each([
    ['two that differ', `${PASSWORD}\r${PASSWORD}.\r`, 'the two differ; nothing was changed'],
    ['an interruption', 'correct\u0003', 'nothing was changed'],
  ])('changes nothing after %s', async (_, typed, message) => {
    using folder = temporaryFolder();
    const { stdin } = terminal(typed);
    const ran = await stave(folder.path, ['console', 'password'], { terminal: stdin });
    expect(ran.code).toBe(1);
    expect(ran.stderr.split('\n').at(-2)).toBe(`stave: ${message}`);
    const store = await openStoreOf(folder.path);
    expect(await store.operators.get('console')).toBeUndefined();
    await store.close();
  });

  it.each([
    ['short', 'fourteen chars', 'the password must have 15 to 256 characters, and has 14'],
    ['empty', '', 'the password must have 15 to 256 characters, and has 0'],
    ['long', 'x'.repeat(257), 'the password must have 15 to 256 characters, and has 257'],
    ['a repetition', 'x'.repeat(20), 'the password must not repeat itself'],
    ['endless', 'x'.repeat(5_000), 'standard input has over 4096 bytes'],
    ['of two lines', 'one line here\nand another', 'the password must be one line without'],
  ])('refuses a password that is %s', async (_, password, message) => {
    using folder = temporaryFolder();
    const ran = await stave(folder.path, ['console', 'password', '--stdin'], { stdin: password });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
    expect(ran.stderr).toContain(message);
  });

  it('does not wait for a password without a terminal', async () => {
    using folder = temporaryFolder();
    const ran = await stave(folder.path, ['console', 'password']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(
      'stave: there is no terminal to ask on: give --stdin, and the password on standard input\n',
    );
  });
});
