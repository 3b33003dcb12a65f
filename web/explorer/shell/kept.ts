/**
 * What the page keeps in the browser, besides what is in its address: choices of the visitor, and what was typed into a
 * form. Never credentials or tokens. A browser may refuse it; then nothing is kept.
 */
export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(`stave.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a value, until the visitor clears the data of the page. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`stave.${name}`, value);
  } catch {
    // It is gone with the page.
  }
}
