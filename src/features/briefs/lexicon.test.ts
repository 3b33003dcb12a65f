import { describe, expect, it } from 'vitest';
import { searchForm } from '../../common/text/search-form.ts';
import { NOW, vocabularyOf } from './briefs.test-support.ts';
import { shippedSynonyms } from './synonyms.ts';
import { understand } from './understand.ts';

const synonyms = shippedSynonyms();
const vocabulary = await vocabularyOf({
  tags: [...new Set(synonyms.flatMap(({ names }) => names))],
  synonyms,
});

function ignoredIn(brief: string): readonly string[] {
  return understand(brief, vocabulary, { now: NOW }).ignored;
}

describe('the synonyms that Stave comes with', () => {
  it.each([
    // English words that equal or inflect like a word of another language, and those of other meanings
    ...['interesting', 'intrusive', 'demonstrates', 'potential', 'familiar', 'stage'],
    ...['information', 'inventory', 'document', 'player', 'shots', 'spend', 'placard', 'commander'],
    // German
    ...[
      'tragen',
      'fahren',
      'Botschaft',
      'streichen',
      'vorbereiten',
      'Bürger',
      'hindurch',
      'schwul',
    ],
    // French
    ...[
      'prête',
      'garde',
      'tombe',
      'tente',
      'robes',
      'expérience',
      'ancien',
      'balle',
      'donner',
      'tôt',
    ],
    // Spanish
    ...['llama', 'arena', 'dice', 'sea', 'parada', 'bolsa', 'enfrente'],
    // Italian
    ...['preso', 'fame', 'gambe', 'quest'],
  ])('leave out %s', (word) => {
    expect(vocabulary.matches([searchForm(word)])).toEqual([]);
  });

  it.each([
    ['un homme en train de dormir', 'train'],
    ['ein Haus, das war eine Mühle', 'war'],
    ['vale la pena', 'pena'],
  ])('do not read %s as another language', (brief, word) => {
    const { understood } = understand(brief, vocabulary, { now: NOW });
    expect(understood.map(({ text }) => text)).not.toContain(word);
  });

  it.each([
    'war film, galloping, robs, exploding, weddings, funerals, celebrates',
    'Hochzeit, Begräbnis, Weltkrieg, Schach, Weihnachtsmarkt, Quantenphysik',
    'mariage, enterre, guerre mondiale, échecs, la fée, croisière',
    'se casan, entierran, guerra mundial, ajedrez, varita mágica, crucero',
    'si sposano, sepolto, battesimo, scacchi, bacchetta magica, crociera',
  ])('know %s', (brief) => {
    expect(ignoredIn(brief)).toEqual([]);
  });
});
