import { visible } from '../list/shown-list.ts';
import { Icon } from '../shell/icon.tsx';
import { may } from '../shell/session.ts';
import { openSidebar } from '../shell/sidebar.tsx';
import { type Key, t } from '../texts/texts.ts';
import { BriefBox, BriefButton } from './brief-box.tsx';
import { keyLabel } from './camelot.ts';
import { choiceLabel, chosenIn, withChoice } from './choices.ts';
import { audioName, VOCALS_NAMES, vocalsOf } from './kinds.ts';
import { knownFilters } from './known-filters.ts';
import { refine, view } from './location.ts';
import { SaveSearch } from './save-search.tsx';
import { rangesOf, titleOf } from './summary.ts';
import { type Query, restrictions, SORTS, type Sort } from './view.ts';

const SORT_NAMES: Record<Sort, Key> = {
  relevance: 'bestMatch',
  newest: 'newest',
  oldest: 'oldest',
  name: 'title',
  bpm: 'tempo',
  duration: 'length',
  popular: 'mostLicensed',
};

/** The number of the tracks found, their order, and what restricts them. */
export function ResultBar() {
  const { query } = view.value;
  const total = visible.value?.total.value;
  return (
    <div class="result">
      <h1 tabIndex={-1}>{titleOf(query)}</h1>
      <p class="total" role="status">
        {total !== undefined && t('countTracks', { n: total })}
      </p>
      {query.brief === undefined && <SortChoice query={query} />}
      {may('search') && <BriefButton />}
      <FiltersButton />
      {/* A brief cannot be saved. */}
      {may('saved-searches') && query.brief === undefined && <SaveSearch query={query} />}
      <BriefBox />
      <ActiveFilters query={query} />
    </div>
  );
}

function SortChoice({ query }: { query: Query }) {
  return (
    <label class="sort">
      <span class="hidden">{t('order')}</span>
      <select
        value={query.sort ?? 'relevance'}
        onChange={(event) => {
          const sort = event.currentTarget.value as Sort;
          refine({ sort: sort === 'relevance' ? undefined : sort });
        }}
      >
        {SORTS.map((sort) => (
          <option key={sort} value={sort}>
            {t(sort === 'relevance' && !query.search ? 'newestFirst' : SORT_NAMES[sort])}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Opens the filters where they cover the page. */
function FiltersButton() {
  return (
    <button
      type="button"
      class="quiet only-narrow"
      aria-label={t('showFilters')}
      onClick={() => openSidebar('.facets button')}
    >
      <Icon name="filter" />
    </button>
  );
}

function ActiveFilters({ query }: { query: Query }) {
  if (restrictions(query) === 0) return null;
  return (
    <div class="active">
      {chosenIn(query).map(({ slug, choice }) => (
        <Active
          key={slug}
          label={choiceLabel(knownFilters.value.get(slug)?.name ?? slug, choice)}
          isExcluded={choice === 'none'}
          remove={() => refine(withChoice(query, slug, undefined))}
        />
      ))}
      {query.type && (
        <Active
          label={t(query.type === 'sfx' ? 'soundEffects' : 'music')}
          remove={() => refine({ type: undefined })}
        />
      )}
      {vocalsOf(query).length > 0 && (
        <Active
          label={vocalsOf(query)
            .map((one) => t(VOCALS_NAMES[one]))
            .join(t('or'))}
          remove={() => refine({ vocals: undefined, hasVocals: undefined })}
        />
      )}
      {query.songKey?.map((key) => (
        <Active
          key={key}
          label={keyLabel(key)}
          remove={() => {
            const others = query.songKey!.filter((one) => one !== key);
            refine({ songKey: others.length > 0 ? others : undefined });
          }}
        />
      ))}
      {rangesOf(query).map(({ from, to, text }) => (
        <Active
          key={from}
          label={text}
          remove={() => refine({ [from]: undefined, [to]: undefined })}
        />
      ))}
      {audioName(query) !== undefined && (
        <Active label={audioName(query)!} remove={() => refine({ hasAudio: undefined })} />
      )}
      <button type="button" class="more" onClick={() => refine(NOTHING)}>
        {t('clearAll')}
      </button>
    </div>
  );
}

export const NOTHING: Partial<Query> = {
  filterSlugs: undefined,
  anyFilterSlugs: undefined,
  notFilterSlugs: undefined,
  type: undefined,
  hasVocals: undefined,
  vocals: undefined,
  hasAudio: undefined,
  songKey: undefined,
  bpmMin: undefined,
  bpmMax: undefined,
  durationMin: undefined,
  durationMax: undefined,
  releasedFrom: undefined,
  releasedTo: undefined,
};

function Active({
  label,
  isExcluded = false,
  remove,
}: {
  label: string;
  isExcluded?: boolean;
  remove: () => void;
}) {
  const kind = isExcluded ? 'chip on excluded' : 'chip on';
  return (
    <button type="button" class={kind} aria-label={t('remove', { name: label })} onClick={remove}>
      {label} <Icon name="close" />
    </button>
  );
}
