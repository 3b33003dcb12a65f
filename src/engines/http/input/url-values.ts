/** Returns the values of a parameter in a URL, which may be malformed otherwise. */
export function valuesInUrl(url: string, name: string): string[] {
  const mark = url.indexOf('?');
  // Most URLs name other parameters, and parsing takes longer than the search for a name.
  if (mark < 0 || !(url.includes(name, mark) || url.includes('%', mark))) return [];
  return new URLSearchParams(url.slice(mark + 1)).getAll(name);
}
