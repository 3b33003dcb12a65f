import { useComputed, useSignal } from '@preact/signals';
import type { FilterFacet } from '#client';
import { t } from '../texts/texts.ts';
import { Chip } from './chip.tsx';
import { type Choice, choiceLabel, chosenIn, withChoice } from './choices.ts';
import { KeyWheel } from './key-wheel.tsx';
import { AudioChoice, TypeChoice, VocalsChoice } from './kind-choices.tsx';
import { knownFilters } from './known-filters.ts';
import { refine, view } from './location.ts';
import { Release, Sliders } from './ranges.tsx';

const GROUPS = [
  { type: 'genre', title: 'genre' },
  { type: 'mood', title: 'mood' },
  { type: 'use-case', title: 'use' },
] as const;

/** How many filters of a group are shown at first. */
const FEW = 10;

/** What restricts the search. Each choice shows how many tracks would be left. */
export function Filters() {
  return (
    <section class="facets" aria-label={t('filters')}>
      <TypeChoice />
      <VocalsChoice />
      {GROUPS.map(({ type, title }) => (
        <Group key={type} type={type} title={t(title)} />
      ))}
      <Sliders />
      <fieldset class="group">
        <legend>{t('key')}</legend>
        <KeyWheel />
      </fieldset>
      <Release />
      <AudioChoice />
    </section>
  );
}

function Group({ type, title }: { type: FilterFacet['type']; title: string }) {
  const isWhole = useSignal(false);
  /** How the next filter that is clicked counts. */
  const choice = useSignal<Choice>('any');
  const all = useComputed(() => filtersOf(type));
  if (all.value.length === 0) return null;
  const shown = isWhole.value ? all.value : all.value.slice(0, FEW);
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      <select
        class="choice"
        aria-label={t('tracksHave', { title })}
        value={choice.value}
        onChange={({ currentTarget }) => {
          choice.value = currentTarget.value as Choice;
        }}
      >
        <option value="any">{t('anyOf')}</option>
        <option value="all">{t('allOf')}</option>
        <option value="none">{t('noneOf')}</option>
      </select>
      <div class="chips">
        {shown.map(({ slug, name, trackCount, chosen }) => (
          <Chip
            key={slug}
            label={chosen === undefined ? name : choiceLabel(name, chosen)}
            count={chosen === 'none' ? undefined : trackCount}
            isOn={chosen !== undefined}
            isExcluded={chosen === 'none'}
            onClick={() => {
              const next = chosen === choice.value ? undefined : choice.value;
              refine(withChoice(view.peek().query, slug, next));
            }}
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
          {isWhole.value ? t('fewer') : t('allCount', { n: all.value.length })}
        </button>
      )}
    </fieldset>
  );
}

/** The filters of a type that are chosen, and then those that tracks of the result carry. */
function filtersOf(type: FilterFacet['type']) {
  const choices = new Map(chosenIn(view.value.query).map(({ slug, choice }) => [slug, choice]));
  return [...knownFilters.value.values()]
    .filter((filter) => filter.type === type)
    .map((filter) => ({ ...filter, chosen: choices.get(filter.slug) }))
    .sort((a, b) => Number(b.chosen !== undefined) - Number(a.chosen !== undefined));
}
