import { computed, effect, signal } from '@preact/signals';
import { visible } from '../list/shown-list.ts';
import { chosenLanguage, may, session } from '../shell/session.ts';
import { chosenIn } from './choices.ts';
import { view } from './location.ts';

/** A filter, and the number of tracks that it would leave; 0 if none are known. */
interface CountedFilter {
  slug: string;
  name: string;
  type: string;
  trackCount: number;
}

const counted = computed(() => visible.value?.facets.value?.filters ?? []);

/** All filters of the catalog, once one was needed that no track of the result carries. */
const all = signal<readonly CountedFilter[]>([]);

/** Filters by their slug: those of the result with their numbers, and those that are chosen. */
export const knownFilters = computed<ReadonlyMap<string, CountedFilter>>(() => {
  const known = new Map<string, CountedFilter>(counted.value.map((one) => [one.slug, one]));
  for (const { slug } of chosenIn(view.value.query)) {
    const missing = known.has(slug) ? undefined : all.value.find((one) => one.slug === slug);
    if (missing !== undefined) known.set(slug, { ...missing, trackCount: 0 });
  }
  return known;
});

const isOneMissing = computed(
  () =>
    visible.value?.facets.value !== undefined &&
    chosenIn(view.value.query).some(({ slug }) => counted.value.every((one) => one.slug !== slug)),
);

effect(() => {
  const current = session.value;
  chosenLanguage();
  if (!isOneMissing.value || current === undefined || !may('filters')) return;
  current.stave.listFilters().then(
    ({ items }) => {
      all.value = items;
    },
    // Their slugs are shown instead.
    () => {},
  );
});
