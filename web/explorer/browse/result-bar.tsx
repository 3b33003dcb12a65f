import { visible } from '../list/shown-list.ts';
import { Icon } from '../shell/icon.tsx';
import { may } from '../shell/session.ts';
import { toggleFilter } from './filters.tsx';
import { go, refine, view, withPanel } from './location.ts';
import { SaveSearch } from './save-search.tsx';
import { rangesOf } from './summary.ts';
import { type Query, restrictions, SORTS, type Sort } from './view.ts';

const SORT_NAMES: Record<Sort, string> = {
  relevance: 'Best match',
  newest: 'Newest',
  oldest: 'Oldest',
  name: 'Title',
  bpm: 'Tempo',
  duration: 'Length',
  popular: 'Most licensed',
};

/** The number of the tracks found, their order, and what restricts them. */
export function ResultBar() {
  const { query } = view.value;
  const total = visible.value?.total.value;
  return (
    <div class="result">
      <h1 tabIndex={-1}>{query.search ? `“${query.search}”` : 'Catalog'}</h1>
      <p class="total" role="status">
        {total !== undefined && `${total.toLocaleString()} ${total === 1 ? 'track' : 'tracks'}`}
      </p>
      <label class="sort">
        <span class="hidden">Order</span>
        <select
          value={query.sort ?? 'relevance'}
          onChange={(event) => {
            const sort = event.currentTarget.value as Sort;
            refine({ sort: sort === 'relevance' ? undefined : sort });
          }}
        >
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {sort === 'relevance' && !query.search ? 'Newest first' : SORT_NAMES[sort]}
            </option>
          ))}
        </select>
      </label>
      <CodeButton />
      {may('saved-searches') && <SaveSearch query={query} />}
      <ActiveFilters query={query} />
    </div>
  );
}

/** Shows how a program requests what is on the page. */
export function CodeButton() {
  const isOpen = view.value.panel === 'code';
  return (
    <button
      type="button"
      class="quiet"
      aria-label="Code"
      aria-pressed={isOpen}
      onClick={() => go(withPanel(isOpen ? undefined : 'code'))}
    >
      <Icon name="code" /> <span class="only-wide">Code</span>
    </button>
  );
}

function ActiveFilters({ query }: { query: Query }) {
  if (restrictions(query) === 0) return null;
  const names = new Map(visible.value?.facets.value?.filters.map(({ slug, name }) => [slug, name]));
  return (
    <div class="active">
      {query.filterSlugs.map((slug) => (
        <Active key={slug} label={names.get(slug) ?? slug} remove={() => toggleFilter(slug)} />
      ))}
      {query.type && (
        <Active
          label={query.type === 'sfx' ? 'Sound effects' : 'Music'}
          remove={() => refine({ type: undefined })}
        />
      )}
      {query.hasVocals !== undefined && (
        <Active
          label={query.hasVocals ? 'Vocals' : 'Instrumental'}
          remove={() => refine({ hasVocals: undefined })}
        />
      )}
      {query.songKey && (
        <Active label={query.songKey} remove={() => refine({ songKey: undefined })} />
      )}
      {rangesOf(query).map(({ from, to, text }) => (
        <Active
          key={from}
          label={text}
          remove={() => refine({ [from]: undefined, [to]: undefined })}
        />
      ))}
      <button type="button" class="more" onClick={() => refine(NOTHING)}>
        Clear all
      </button>
    </div>
  );
}

const NOTHING: Partial<Query> = {
  filterSlugs: [],
  type: undefined,
  hasVocals: undefined,
  songKey: undefined,
  bpmMin: undefined,
  bpmMax: undefined,
  durationMin: undefined,
  durationMax: undefined,
  releasedFrom: undefined,
  releasedTo: undefined,
};

function Active({ label, remove }: { label: string; remove: () => void }) {
  return (
    <button type="button" class="chip on" aria-label={`Remove ${label}`} onClick={remove}>
      {label} <Icon name="close" />
    </button>
  );
}
