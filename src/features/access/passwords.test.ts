import { describe, expect, it } from 'vitest';
import { checkedPassword, hashPassword, isPassword } from './passwords.ts';

describe('a password', () => {
  it.each([
    ['of fifteen characters', 'fifteen chars..'],
    ['of 256 characters', `${'ab4 '.repeat(64).slice(0, 252)}zzqx`],
    ['of words', 'correct horse battery'],
    ['of emoji', '😀🎸🥁🎺🎻🪕🎷🪗🎹🪘🎤🎧🎼🎵🎶'],
    ['that contains the name', 'anna plays the horn'],
    ['with a sequence in it', 'my abcdef and 12345'],
  ])('%s is accepted', (_, password) => {
    expect(checkedPassword(password, 'anna')).toBe(password);
  });

  it('counts code points in NFC', () => {
    expect(checkedPassword(`${'e\u0301a'.repeat(7)}xyq`, 'anna')).toHaveLength(17);
    expect(() => checkedPassword('e\u0301'.repeat(8), 'anna')).toThrow('has 8');
  });

  it.each([
    ['of fourteen characters', 'fourteen chars', '15 to 256 characters, and has 14'],
    ['of 257 characters', 'correct horse '.repeat(19).slice(0, 257), 'and has 257'],
    ['of two lines', 'correct horse\nbattery', 'one line without control characters'],
    ['that is the name', 'Anna-Maria Schmidt', 'must not be the name'],
    ['of one character', 'aaaaaaaaaaaaaaaa', 'must not repeat itself'],
    ['of one word', 'Stave1stave1stave1', 'must not repeat itself'],
    ['of one word and a space', 'correcthorse correcthorse', 'must not repeat itself'],
    ['of one word in part', 'abcdabcdabcdabc', 'must not repeat itself'],
    ['of the alphabet', 'abcdefghijklmnop', 'must not be a sequence'],
    ['of digits', '123456789012345', 'must not be a sequence'],
    ['of digits downwards', '0987654321098765', 'must not be a sequence'],
    ['of the alphabet backwards', 'zyxwvutsrqponmlk', 'must not be a sequence'],
    ['of a keyboard', 'qwertyuiopasdfgh', 'must not be a sequence'],
    ['of a keyboard backwards', 'mnbvcxzlkjhgfdsa', 'must not be a sequence'],
    ['of two sequences', 'ABCDEFGH12345678', 'must not be a sequence'],
    ['of runs', 'aaabbbcccdddeeefff', 'must not be a sequence'],
  ])('%s is refused', (_, password, message) => {
    expect(() => checkedPassword(password, 'anna-maria schmidt')).toThrow(message);
  });

  it('is compared in NFC, and to nothing takes about as long as to a hash', async () => {
    const stored = await hashPassword(checkedPassword('correct horse batt\u00e9ry', 'anna'));
    expect(stored).toMatchObject({ N: 2 ** 15, r: 8, p: 3 });
    const timed = async (...given: Parameters<typeof isPassword>) => {
      const start = performance.now();
      const is = await isPassword(...given);
      return { is, ms: performance.now() - start };
    };
    expect(await isPassword(stored, 'correct horse batte\u0301ry')).toBe(true);
    const [wrong, none] = [await timed(stored, 'wrong password'), await timed(null, 'wrong')];
    expect([wrong.is, none.is]).toEqual([false, false]);
    // Without the work, it would take less than a millisecond.
    expect(none.ms).toBeGreaterThan(wrong.ms / 10);
    expect(await isPassword(stored, 'x'.repeat(2_000))).toBe(false);
  });
});
