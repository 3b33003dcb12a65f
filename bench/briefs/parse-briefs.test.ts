import { expect, it } from 'vitest';
import { fold } from '../../src/common/text/search-form.ts';
import { isAccepted, LISTS, readBriefs } from './parse-briefs.ts';

it('there are 120 briefs in five languages, of which 40 are scenes, and half are held out', () => {
  const briefs = readBriefs();
  expect(briefs).toHaveLength(120);
  expect(new Set(briefs.map(({ language }) => language)).size).toBe(5);
  expect(briefs.filter(({ kind }) => kind === 'scenes')).toHaveLength(40);
  expect(briefs.filter(({ isHeldOut }) => isHeldOut)).toHaveLength(60);
  for (const { text, accepted } of briefs) expect([text, accepted.length]).not.toEqual([text, 0]);
});

it('there are 40 independent scenes, and half are held out', () => {
  const briefs = readBriefs('independent');
  expect(briefs.filter(({ isHeldOut }) => isHeldOut)).toHaveLength(20);
  expect(briefs).toHaveLength(40);
  for (const { kind, accepted } of briefs) expect([kind, accepted.length]).toEqual(['scenes', 1]);
});

it('there are 60 scenes that are all held out, as many in each of five languages', () => {
  const briefs = readBriefs('held-out');
  expect(briefs).toHaveLength(60);
  for (const language of ['en', 'de', 'fr', 'es', 'it'])
    expect(briefs.filter((brief) => brief.language === language)).toHaveLength(12);
  for (const { text, kind, isHeldOut, accepted } of briefs)
    expect([text, kind, isHeldOut, accepted.length > 0]).toEqual([text, 'scenes', true, true]);
});

it('scenes do not contain what is accepted', () => {
  for (const { kind, text, accepted } of LISTS.flatMap((list) => readBriefs(list))) {
    const words = ` ${fold(text)} `;
    const said = accepted.flat().filter((name) => words.includes(` ${name} `));
    if (kind === 'scenes') expect([text, said]).toEqual([text, []]);
  }
});

it('a track is accepted with one of each list, none of the rejected, and in the ranges', () => {
  const brief = readBriefs()[0]!;
  expect(brief.text).toMatch(/^dark cinematic trailer/);
  const track = {
    filters: [{ name: 'DARK' }],
    tags: ['Movie'],
    artists: [{ name: 'A' }],
    bpm: 90,
    durationSeconds: 100,
  };
  expect(isAccepted(brief, track)).toBe(true);
  expect(isAccepted(brief, { ...track, bpm: 100 })).toBe(false);
  expect(isAccepted(brief, { ...track, durationSeconds: 121 })).toBe(false);
  expect(isAccepted(brief, { ...track, tags: [] })).toBe(false);
  expect(isAccepted({ ...brief, rejected: ['movie'] }, track)).toBe(false);
  expect(isAccepted({ ...brief, artist: 'chopin' }, track)).toBe(false);
});
