/** How long to wait before a style sheet is requested again: what a busy service asks for, in milliseconds. */
const PAUSE_MS = 2_000;

/**
 * Resolves when the style sheets of the page are there. The service may refuse one while it has too much to do; it is
 * then requested again, because the page cannot be used without it.
 */
export async function stylesLoaded(): Promise<void> {
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]');
  await Promise.all([...links].map(loaded));
}

// A script of type module runs after the style sheets before it have arrived or failed.
async function loaded(link: HTMLLinkElement): Promise<void> {
  let present = link;
  while (!present.sheet?.cssRules.length) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const next = link.cloneNode() as HTMLLinkElement;
    await new Promise((resolve) => {
      next.addEventListener('load', resolve);
      next.addEventListener('error', resolve);
      present.replaceWith(next);
    });
    present = next;
  }
}
