import { beforeEach, describe, expect, it } from 'vitest';
import { AnswerCache } from './answer-cache.ts';

const ANSWER = Buffer.from('answer');

let version = 1;
let period = {};
let answers: AnswerCache;
beforeEach(() => {
  answers = new AnswerCache({
    maxBytes: 10_000,
    catalogVersion: () => version,
    urlPeriod: () => period,
  });
});

/** Asks twice, as it takes to be kept. */
function keep(question: string, answer = ANSWER): void {
  answers.keep(question, answer, answers.edition());
  answers.keep(question, answer, answers.edition());
}

describe('AnswerCache', () => {
  it('keeps an answer when its question comes for the second time', () => {
    answers.keep('a', ANSWER, answers.edition());
    expect(answers.get('a')).toBeUndefined();
    answers.keep('a', ANSWER, answers.edition());
    expect(answers.get('a')).toEqual(ANSWER);
    expect(answers.get('b')).toBeUndefined();
  });

  it('drops all of them when the catalog changes', () => {
    keep('a');
    version++;
    expect(answers.get('a')).toBeUndefined();
  });

  it('counts anew how often a question came when the catalog changes', () => {
    answers.keep('a', ANSWER, answers.edition());
    version++;
    answers.keep('a', ANSWER, answers.edition());
    expect(answers.get('a')).toBeUndefined();
  });

  it('drops all of them when other URLs are issued', () => {
    keep('a');
    period = {};
    expect(answers.get('a')).toBeUndefined();
  });

  it('does not keep what was begun before a change', () => {
    keep('a');
    const edition = answers.edition();
    version++;
    answers.keep('a', ANSWER, edition);
    expect(answers.get('a')).toBeUndefined();
  });

  it('lets those go that were not asked for long, beyond its bound', () => {
    const large = Buffer.alloc(2900);
    keep('a', large);
    keep('b', large);
    answers.get('a');
    keep('c', large);
    keep('d', large);
    expect(['a', 'b', 'c', 'd'].filter((question) => answers.get(question))).toEqual([
      'a',
      'c',
      'd',
    ]);
  });

  it('holds no more memory for an answer than its bytes', () => {
    const slice = Buffer.alloc(10_000).subarray(10, 20);
    keep('a', slice);
    expect(answers.get('a')).toEqual(slice);
    expect(answers.get('a')!.buffer.byteLength).toBe(slice.length);
  });

  it('passes over questions that are very long', () => {
    const long = 'a'.repeat(10_000);
    keep(long);
    expect(answers.get(long)).toBeUndefined();
  });
});
