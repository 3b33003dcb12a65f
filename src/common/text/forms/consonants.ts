/**
 * Arabic and Hebrew are written without most vowels, so a name and a text are compared by their consonants. Letters that
 * romanizations do not distinguish are one consonant. Each script has consonants of its own, in private characters, and
 * a mark before each word, so that the beginnings of words are compared and no word equals a piece of another.
 */

interface Script {
  letters: RegExp;
  mark: string;
  /** The consonant of each letter; vowels, letters that may be vowels, and ayin, which is seldom written in Latin, have none. */
  consonants: ReadonlyMap<string, string>;
  /** What is replaced in a romanized word, with each way to read it. */
  digraphs: readonly (readonly [latin: RegExp, consonants: readonly string[]])[];
}

export const ARABIC: Script = {
  letters: /[\u0620-\u06d5]/,
  mark: '\ue040',
  consonants: pairs(
    'بb پp تt ثT جj چC حh خK دd ذD رr زz ژz سs شS صs ضd طt ظz غG فf ڤf قk كk گg لl مm نn هh',
  ),
  digraphs: [
    [/sh/g, ['S']],
    [/kh/g, ['K']],
    [/gh/g, ['G']],
    [/th/g, ['T']],
    [/dh/g, ['D']],
    [/ch/g, ['S', 'C']],
    [/zh/g, ['z']],
    [/g/g, ['j', 'g']],
    [/c(?=[eiy])/g, ['s']],
    [/[qc]/g, ['k']],
    [/v/g, ['f', '']],
    [/x/g, ['ks']],
  ],
};

export const HEBREW: Script = {
  letters: /[\u05d0-\u05ea]/,
  mark: '\ue080',
  consonants: pairs('בb גg דd הh זz חh טt כk ךk לl מm םm נn ןn סs פp ףp צc ץc קk רr שs תt'),
  digraphs: [
    [/(?:sh|sch)/g, ['s']],
    [/[ck]h/g, ['h', 'k']],
    [/th/g, ['t']],
    [/[qc]/g, ['k']],
    [/t[sz]/g, ['c']],
    // Zion is Tsiyon.
    [/z/g, ['z', 'c']],
    // `Israel` begins with a yod.
    [/^i(?=[^aeiouyw])/, ['', 'y']],
    [/f/g, ['p']],
    [/v/g, ['b', '']],
    [/j/g, ['g']],
    [/x/g, ['ks']],
  ],
};

function pairs(text: string): Map<string, string> {
  return new Map(text.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]));
}

const SCRIPTS = [ARABIC, HEBREW];

/** The greatest number of ways to read a romanized text in one script. */
const MAX_WAYS = 4;

/** The keys of a folded name; none if it has no Arabic or Hebrew letters. */
export function consonantsOfName(folded: string): string[] {
  return SCRIPTS.filter(({ letters }) => letters.test(folded)).flatMap((script) => {
    const words = folded.split(' ');
    const whole = words.map((word) => consonantsOfWord(word, script));
    const between = whole.map((key, i) => betweenVowels(key, words[i]!, script));
    if (script !== ARABIC) return [whole.join(' '), between.join(' ')];
    // The article is written together with its word.
    const parted = words.map((word) =>
      /^ال../.test(word)
        ? `${script.mark}l ${consonantsOfWord(word.slice(2), script)}`
        : consonantsOfWord(word, script),
    );
    return [whole.join(' '), between.join(' '), parted.join(' ')];
  });
}

/**
 * The key of a word with one consonant between vowels, such as `عيني` or `ayni`, with a mark of them: one consonant alone is in
 * too many words. Other keys stay as they are.
 */
function betweenVowels(key: string, word: string, { mark, consonants }: Script): string {
  const isVowel = (letter: string) =>
    /[aeiouyw]/.test(letter) || !(/[a-z]/.test(letter) || consonants.has(letter));
  const isBetween = key.length === 2 && isVowel(word[0]!) && isVowel(word.at(-1)!);
  return isBetween ? key + String.fromCharCode(mark.charCodeAt(0) + 63) : key;
}

function consonantsOfWord(word: string, script: Script): string {
  if (!script.letters.test(word)) return consonantsOfLatin(word, script)[0]!;
  const text =
    script === ARABIC
      ? word
          .replace(/اة$|اه$/, 'ات')
          .replace(/(?<=...)ه$/, '')
          .replace(/لل/, 'ل')
      : word
          .replace(/(?<=..)ה$/, '')
          .replace(/וו/g, 'ב')
          .replace(/^ו/, 'ב');
  let consonants = '';
  for (const letter of text) {
    const isFirst = consonants === '';
    if (letter === 'ي' && isFirst && text.startsWith('ي')) consonants = 'y';
    else if (letter === 'و' && isFirst && text.startsWith('و')) consonants = 'w';
    else if (letter === 'י' && isFirst && text.startsWith('י')) consonants = 'y';
    else consonants += script.consonants.get(letter) ?? '';
  }
  return keyOf(consonants, script);
}

/** The keys of a romanized text, in each way to read it. None if no word has two consonants. */
export function consonantsOfText(form: string, script: Script): string[] {
  const words = form
    // `Abdel Halim` is `Abd al-Halim`.
    .replace(/\babd[aeu]l(?= )/g, 'abd al')
    .split(' ')
    .map((word, i, all) =>
      script === ARABIC && isArticle(word, all[i + 1])
        ? [`${script.mark}l`]
        : consonantsOfLatin(word, script),
    );
  const most = Math.min(MAX_WAYS, Math.max(...words.map(({ length }) => length)));
  const texts = Array.from({ length: most }, (_, way) =>
    words.map((ways) => ways[Math.min(way, ways.length - 1)]!),
  );
  return texts
    .filter((some) => some.some((word) => word.length > 2) && !some.includes(script.mark))
    .map((some) => some.join(' '));
}

/** Whether a word is the Arabic article, whose `l` may have become the first consonant of the next word. */
function isArticle(word: string, next: string | undefined): boolean {
  const found = /^[ae](l|sh|th|dh|[tdnrsz])$/.exec(word);
  return found !== null && next !== undefined && (found[1] === 'l' || next.startsWith(found[1]!));
}

/** The consonants of a Latin word in each way to read it, the likeliest first. */
function consonantsOfLatin(word: string, script: Script): string[] {
  let ways = [word.replace(/([a-z])\1/g, '$1')];
  for (const [latin, consonants] of script.digraphs) {
    ways = ways.flatMap((way) =>
      latin.test(way) ? consonants.map((one) => way.replace(latin, one)) : [way],
    );
  }
  const found = ways
    .slice(0, MAX_WAYS)
    .flatMap((way) => (/.[^h]?h$/.test(way) && way.length > 2 ? [way.slice(0, -1), way] : [way]))
    .map((way) => keyOf(way.replace(/(?<=.)[yw]/g, '').replace(/[aeiou]/g, ''), script));
  return [...new Set(found.flatMap((key) => [betweenVowels(key, word, script), key]))];
}

/** A word as it is compared: the mark, and each consonant in private characters. */
function keyOf(consonants: string, { mark }: Script): string {
  return (
    mark +
    consonants.replace(/[a-zA-Z]/g, (one) => {
      const letter = one.toLowerCase().charCodeAt(0) - 96;
      return String.fromCharCode(mark.charCodeAt(0) + letter + (one < 'a' ? 32 : 0));
    })
  );
}
