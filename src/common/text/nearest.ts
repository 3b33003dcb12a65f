/**
 * The known word that is nearest to the given word, for "did you mean" in error messages; undefined
 * if more than a third of the letters differ from every known word.
 * The word may come from an anonymous caller and have any length: a word that is much longer than a
 * candidate is not compared with it. The cost per candidate is at most about the square of the
 * candidate's length, so `known` should have tens of words, not thousands.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const tolerance = Math.max(2, Math.ceil(word.length / 3));
  let limit = tolerance + 1;
  let best: string | undefined;
  let folded: string | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= limit) {
      continue;
    }
    folded ??= word.toLowerCase();
    const distance = levenshtein(folded, candidate.toLowerCase(), limit);
    if (distance < limit) {
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

/** The Levenshtein distance of two words. If it is `limit` or more, any number from `limit` on. */
function levenshtein(a: string, b: string, limit: number): number {
  let previous = new Uint32Array(b.length + 1).map((_, j) => j);
  let current = new Uint32Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1);
    let lowest = i;
    current[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (letter === b.charCodeAt(j - 1) ? 0 : 1);
      const distance = Math.min(previous[j]! + 1, current[j - 1]! + 1, substitution);
      current[j] = distance;
      if (distance < lowest) {
        lowest = distance;
      }
    }
    // The distance is never less than the lowest value of a row.
    if (lowest >= limit) {
      return lowest;
    }
    [previous, current] = [current, previous];
  }
  return previous[b.length]!;
}
