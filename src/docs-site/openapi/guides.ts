import given from './guides.json' with { type: 'json' };

/** A guide, served at `/docs/{path}` and as Markdown at `/docs/{path}.md`. */
export interface Guide {
  path: string;
  title: string;
  /** One sentence, for lists of guides. */
  summary: string;
  /** The Markdown file, from the root of the package. */
  file: string;
}

export interface GuideSection {
  title: string;
  audience: 'partners' | 'operators';
  guides: readonly Guide[];
}

type GivenGuide = Omit<Guide, 'file'> & { file?: string };

const guide = (given: GivenGuide): Guide => ({ file: `docs/${given.path}.md`, ...given });

/** All guides, in reading order. */
export const GUIDE_SECTIONS: readonly GuideSection[] = given.sections.map((section) => ({
  title: section.title,
  audience: section.audience as GuideSection['audience'],
  guides: section.guides.map(guide),
}));

export const GUIDES: readonly Guide[] = GUIDE_SECTIONS.filter(
  ({ audience }) => audience === 'partners',
).flatMap(({ guides }) => guides);

/** Pages to look things up: the kinds of errors, the contract, the glossary. */
export const REFERENCE_PAGES: readonly Guide[] = [
  ...given.reference,
  ...Object.entries(given.contract).map(([name, title]) => ({
    path: `contract/${name}`,
    title,
    summary: `The rules: ${title.toLowerCase()}.`,
  })),
].map(guide);

/** How many of the reference pages the navigation shows; the index of the contract links to its pages. */
export const SHOWN_REFERENCE_PAGES = given.reference.length;
