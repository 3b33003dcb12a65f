import { t } from '../texts/texts.ts';
import type { Query } from './view.ts';

/**
 * How a filter counts: a track carries at least one of those of its type (`any`), carries it in any case (`all`), or does
 * not carry it (`none`).
 */
export type Choice = keyof typeof MEMBERS;

const MEMBERS = {
  any: 'anyFilterSlugs',
  all: 'filterSlugs',
  none: 'notFilterSlugs',
} as const satisfies Record<string, keyof Query>;
const CHOICES = Object.keys(MEMBERS) as Choice[];

/** A filter that a query names. */
export interface Chosen {
  slug: string;
  choice: Choice;
}

/** The filters that a query names. */
export function chosenIn(query: Query): Chosen[] {
  return CHOICES.flatMap((choice) =>
    (query[MEMBERS[choice]] ?? []).map((slug) => ({ slug, choice })),
  );
}

/** Changes how a filter counts; with undefined, the query does not name it any more. */
export function withChoice(query: Query, slug: string, choice: Choice | undefined): Partial<Query> {
  const change: { -readonly [Name in keyof Query]: Query[Name] } = {};
  for (const one of CHOICES) {
    const others = (query[MEMBERS[one]] ?? []).filter((other) => other !== slug);
    const next = one === choice ? [...others, slug] : others;
    change[MEMBERS[one]] = next.length > 0 ? next : undefined;
  }
  return change;
}

/** Chooses a filter, and no other. */
export function onlyFilter(slug: string): Partial<Query> {
  return { filterSlugs: undefined, notFilterSlugs: undefined, anyFilterSlugs: [slug] };
}

/** The name of a chosen filter, with how it counts. */
export function choiceLabel(name: string, choice: Choice): string {
  if (choice === 'none') return t('notName', { name });
  return choice === 'all' ? `+ ${name}` : name;
}
