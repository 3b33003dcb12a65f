import { describe, expect, it } from 'vitest';
import { trackMaker } from './track.ts';

const make = trackMaker({ source: 'label' });
const prepared = (members: object) =>
  make({ externalId: '1', name: 'Rain', type: 'music', ...members });
const provenanceOf = (members: object) => prepared(members).delivery?.provenance;
const problemsOf = (members: object) =>
  prepared(members).problems?.map(({ field, message }) => `${field} ${message}`);

describe('the provenance of a record', () => {
  it('is absent if the record says nothing', () => {
    for (const members of [
      {},
      { ai: null, aiParts: null, trainingAllowed: null, provenanceStatement: null },
      { ai: '', aiParts: [], provenanceStatement: '  ' },
      { ai: 'unknown', aiParts: '' },
    ]) {
      expect(provenanceOf(members)).toBeUndefined();
    }
  });

  it.each([
    [{ ai: 'none' }, { ai: 'none', aiParts: [], trainingAllowed: null, statement: null }],
    [
      { ai: ' Generated ', aiParts: ['mastering', 'Vocals', 'vocals'], trainingAllowed: false },
      {
        ai: 'generated',
        aiParts: ['vocals', 'mastering'],
        trainingAllowed: false,
        statement: null,
      },
    ],
    [
      { aiParts: 'lyrics; artwork', trainingAllowed: true, provenanceStatement: ' By hand. ' },
      {
        ai: 'unknown',
        aiParts: ['lyrics', 'artwork'],
        trainingAllowed: true,
        statement: 'By hand.',
      },
    ],
  ])('of %j is %j', (members, expected) => {
    expect(provenanceOf(members)).toEqual(expected);
  });

  it.each([
    [{ ai: 'maybe' }, 'ai must be none, assisted, generated, unknown; it is "maybe"'],
    [{ ai: true }, 'ai must be `none`, `assisted`, `generated` or `unknown`; it is true'],
    [{ ai: 'none', aiParts: ['vocals'] }, 'aiParts must be absent if ai is none'],
    [
      { aiParts: ['drums'] },
      'aiParts must be vocals, lyrics, composition, performance, artwork, mastering; it is "drums"',
    ],
    [{ trainingAllowed: 'yes' }, 'trainingAllowed must be true or false; it is "yes"'],
    [
      { provenanceStatement: 'x'.repeat(501) },
      'provenanceStatement must be a text of 500 characters at most',
    ],
  ])('is refused: %j', (members, problem) => {
    expect(problemsOf(members)).toEqual([problem]);
  });
});
