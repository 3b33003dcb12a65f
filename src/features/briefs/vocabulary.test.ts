import { describe, expect, it } from 'vitest';
import { BriefReader } from './brief-reader.ts';
import { NOW, sourceOf, vocabularyOf } from './briefs.test-support.ts';
import { parseSynonyms, type Synonym, Synonyms } from './synonyms.ts';
import { understand } from './understand.ts';
import { LiveVocabulary } from './vocabulary.ts';
import { wordsOf } from './words.ts';

describe('the vocabulary of a catalog', () => {
  it('follows changes of filters, tags, artists and synonyms', async () => {
    let source = sourceOf({ filters: ['mood:Calm'], tags: ['harp'] });
    let synonyms = new Synonyms([]);
    const live = new LiveVocabulary(
      () => source,
      () => synonyms,
    );
    const texts = async () => {
      const brief = 'quiet, harp, flute, by Queen';
      return understand(brief, await live.current(), { now: NOW }).understood.map(
        ({ text }) => text,
      );
    };
    expect(await texts()).toEqual(['harp']);
    synonyms = new Synonyms([{ term: 'quiet', names: ['calm'] }]);
    expect(await texts()).toEqual(['quiet', 'harp']);
    source = sourceOf({ filters: ['mood:Quiet'], tags: ['flute'], artists: ['Queen'] });
    expect(await texts()).toEqual(['quiet', 'flute', 'Queen']);
  });

  it('reads the names of many filters once, and pauses meanwhile', async () => {
    const source = sourceOf({});
    const filters = Array.from({ length: 20_000 }, (_, i) => ({
      ...{ id: `id-${i}`, slug: `name-${i}`, name: `Náme ${i}`, type: 'mood' as const },
    }));
    let reads = 0;
    const counted = new Proxy(filters, {
      get(target, name) {
        if (name === 'entries') reads++;
        return Reflect.get(target, name);
      },
    });
    const live = new LiveVocabulary(
      () => ({ ...source, filters: counted }),
      () => new Synonyms([]),
    );
    let pauses = 0;
    const ticking = setImmediate(function tick() {
      pauses++;
      if (pauses < 10_000) setImmediate(tick);
    });
    const vocabulary = await live.current();
    clearImmediate(ticking);
    expect(pauses).toBeGreaterThan(0);
    await live.current();
    expect(reads).toBe(1);
    expect(vocabulary.matches(['name', '19999'])).toHaveLength(1);
  });

  it('joins the tags of all spellings and of synonyms, but a filter means only itself', async () => {
    const synonyms: Synonym[] = [
      { term: 'violin', names: ['fiddle', 'missing'] },
      { term: 'calm', names: ['fiddle'] },
      { term: 'gone', names: ['missing'] },
    ];
    const vocabulary = await vocabularyOf({
      filters: ['mood:Calm'],
      tags: ['Violin', 'violins', 'Fiddle'],
      synonyms,
    });
    const [violin] = vocabulary.matches(['violin']);
    expect(violin!.meaning.tags.toSorted()).toEqual(['Fiddle', 'Violin', 'violins']);
    expect(violin!.weight).toBe(1);
    expect(vocabulary.matches(['calm'])[0]!.meaning).toMatchObject({
      filters: [{ slug: 'calm' }],
      tags: [],
    });
    expect(vocabulary.matches(['gone'])).toEqual([]);
  });

  it('finds synonyms in the plural, and as a part of a compound word', async () => {
    const synonyms: Synonym[] = [
      { term: 'clown', names: ['funny'] },
      { term: 'abenteuer*', names: ['epic'] },
      { term: 'weltraum', names: ['ambient'] },
    ];
    const vocabulary = await vocabularyOf({ tags: ['funny', 'epic', 'ambient'], synonyms });
    const tagsOf = (word: string) =>
      vocabulary.matches([word]).flatMap(({ meaning }) => meaning.tags);
    expect(tagsOf('clowns')).toEqual(['funny']);
    expect(tagsOf('weltraumabenteuer')).toEqual(['epic']);
    expect(tagsOf('weltraumspaziergang')).toEqual(['ambient']);
    expect(tagsOf('abenteuerlich')).toEqual(['epic']);
    expect(tagsOf('zirkusclown')).toEqual([]);
  });

  it('weighs a weak hint less than other synonyms', async () => {
    const read = parseSynonyms('term,names\nfuneral|~harbor|~Hafen*,Somber');
    const synonyms = 'synonyms' in read ? read.synonyms : [];
    expect(synonyms.map(({ term }) => term)).toEqual(['funeral', '~harbor', '~hafen*']);
    const vocabulary = await vocabularyOf({ tags: ['somber'], synonyms });
    const weightOf = (word: string) => vocabulary.matches([word])[0]!.weight;
    expect(weightOf('somber')).toBe(1);
    expect(weightOf('funeral')).toBe(0.8);
    expect(weightOf('harbors')).toBe(0.4);
    expect(weightOf('hafens')).toBe(0.4);
  });

  it('takes a term with and without the mark of a weak hint for the same', () => {
    expect(parseSynonyms('term,names\nharbor|~Harbor,Somber\n~harbor,Calm\n~,Calm')).toEqual({
      problems: ['line 3: "~harbor" is in line 2, too', 'line 4: "~" must have a letter or digit'],
    });
    const replaced = new Synonyms([
      { term: '~harbor', names: ['Calm'] },
      { term: 'harbor', names: ['Somber'] },
    ]);
    expect(replaced.hintOf('harbor', 6)).toMatchObject({ names: ['Somber'], weight: 0.8 });
  });

  it('takes no other end of a word for a part of a compound', async () => {
    const synonyms: Synonym[] = [
      { term: 'azione', names: ['action'] },
      { term: 'mission', names: ['action'] },
      { term: 'hund*', names: ['dog'] },
    ];
    const vocabulary = await vocabularyOf({ tags: ['action', 'dog'], synonyms });
    for (const word of ['situazione', 'transmission', 'jahrhundert']) {
      expect(vocabulary.matches([word])).toEqual([]);
    }
  });

  it('finds nothing across dividers', async () => {
    const vocabulary = await vocabularyOf({
      filters: ['genre:Deep House'],
      artists: ['Mara Lindt'],
    });
    expect(vocabulary.matches(['deep', '', 'house', 'mara', '', 'lindt'])).toEqual([]);
  });
});

describe('a hostile brief', () => {
  const PATTERNS: Record<string, string> = {
    filters: 'a house ',
    negations: 'no x, ',
    numbers: '1 to 2 min ',
    'no spaces': 'x.',
    qualifiers: 'at least 1 ',
    articles: 'a a a like a ',
    artists: 'like mara lindt mara ',
    keys: 'A minor A ',
    years: 'in 2019 to ',
    synonyms: 'very quiet quiet ',
  };

  it.each(Object.keys(PATTERNS))('of %s takes steps by its length', async (name) => {
    const vocabulary = await vocabularyOf({
      filters: ['genre:House'],
      artists: ['Mara Lindt'],
      synonyms: [{ term: 'quiet', names: ['house'] }],
    });
    const stepsOf = (length: number) => {
      const brief = PATTERNS[name]!.repeat(length).slice(0, length);
      let steps = 0;
      const words = new Proxy(wordsOf(brief), {
        get(target, member) {
          steps++;
          return Reflect.get(target, member);
        },
      });
      const counted = {
        matches: (text: readonly string[]) => {
          steps += text.length;
          return vocabulary.matches(text);
        },
      };
      new BriefReader(brief, words, counted, NOW).read();
      return steps;
    };
    const [half, whole] = [stepsOf(500), stepsOf(1_000)];
    expect(whole).toBeLessThan(2.2 * half);
    expect(whole).toBeLessThan(100_000);
  });
});
