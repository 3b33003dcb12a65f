import { useComputed, useSignal } from '@preact/signals';
import type { FilterFacet } from '#client';
import { visible } from '../list/shown-list.ts';
import { refine, view } from './location.ts';
import { Ranges } from './ranges.tsx';

const GROUPS = [
  { type: 'genre', title: 'Genre' },
  { type: 'mood', title: 'Mood' },
  { type: 'use-case', title: 'Use' },
] as const;

/** How many filters of a group are shown at first. */
const FEW = 10;

/** What restricts the search. Each choice shows how many tracks would be left. */
export function Filters() {
  return (
    <section class="facets" aria-label="Filters">
      <TypeAndVocals />
      {GROUPS.map(({ type, title }) => (
        <Group key={type} type={type} title={title} />
      ))}
      <Ranges />
    </section>
  );
}

function TypeAndVocals() {
  const { type, hasVocals } = view.value.query;
  const facets = visible.value?.facets.value;
  // The API omits values without tracks.
  const ofType = (wanted: string) =>
    facets && (facets.types.find((one) => one.type === wanted)?.trackCount ?? 0);
  const ofVocals = (wanted: boolean) =>
    facets && (facets.hasVocals.find((one) => one.hasVocals === wanted)?.trackCount ?? 0);
  return (
    <fieldset class="group">
      <legend>Type</legend>
      <div class="chips">
        {(['music', 'sfx'] as const).map((one) => (
          <Chip
            key={one}
            label={one === 'music' ? 'Music' : 'Sound effects'}
            count={ofType(one)}
            isOn={type === one}
            onClick={() => refine({ type: type === one ? undefined : one })}
          />
        ))}
        {[true, false].map((one) => (
          <Chip
            key={String(one)}
            label={one ? 'Vocals' : 'Instrumental'}
            count={ofVocals(one)}
            isOn={hasVocals === one}
            onClick={() => refine({ hasVocals: hasVocals === one ? undefined : one })}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Group({ type, title }: { type: FilterFacet['type']; title: string }) {
  const isWhole = useSignal(false);
  const all = useComputed(() => filtersOf(type));
  if (all.value.length === 0) return null;
  const shown = isWhole.value ? all.value : all.value.slice(0, FEW);
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      <div class="chips">
        {shown.map(({ slug, name, trackCount, isOn }) => (
          <Chip
            key={slug}
            label={name}
            count={trackCount}
            isOn={isOn}
            onClick={() => toggleFilter(slug)}
          />
        ))}
      </div>
      {all.value.length > FEW && (
        <button
          type="button"
          class="more"
          aria-expanded={isWhole.value}
          onClick={() => {
            isWhole.value = !isWhole.value;
          }}
        >
          {isWhole.value ? 'Fewer' : `All ${all.value.length}`}
        </button>
      )}
    </fieldset>
  );
}

/** The filters of a type that tracks of the result carry, the chosen ones first. */
function filtersOf(type: FilterFacet['type']) {
  const { filterSlugs } = view.value.query;
  return (visible.value?.facets.value?.filters ?? [])
    .filter((filter) => filter.type === type)
    .map((filter) => ({ ...filter, isOn: filterSlugs.includes(filter.slug) }))
    .sort((a, b) => Number(b.isOn) - Number(a.isOn));
}

/** Adds a filter, or removes it. */
export function toggleFilter(slug: string): void {
  const { filterSlugs } = view.peek().query;
  const next = filterSlugs.includes(slug)
    ? filterSlugs.filter((one) => one !== slug)
    : [...filterSlugs, slug];
  refine({ filterSlugs: next });
}

function Chip({
  label,
  count,
  isOn,
  onClick,
}: {
  label: string;
  /** How many tracks there are; undefined if unknown. */
  count: number | undefined;
  isOn: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" class="chip" aria-pressed={isOn} onClick={onClick}>
      {label}
      {count !== undefined && <span class="count">{count.toLocaleString()}</span>}
    </button>
  );
}
