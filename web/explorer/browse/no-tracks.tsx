import type { StaveClient } from '#client';
import { visible } from '../list/shown-list.ts';
import { sourceOf } from '../list/source.ts';
import { Link } from '../shell/link.tsx';
import { session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';
import { choiceLabel, chosenIn, withChoice } from './choices.ts';
import { audioName, VOCALS_NAMES, vocalsOf } from './kinds.ts';
import { knownFilters } from './known-filters.ts';
import { refine, view, viewOf } from './location.ts';
import { NOTHING } from './result-bar.tsx';
import { rangesOf } from './summary.ts';
import { type Query, restrictions } from './view.ts';

/** The most changes of the search that are offered. */
const MAX_OFFERED = 6;

/** Says that nothing is found, and how many tracks there are without each part of the search. */
export function NoTracks() {
  const { shown, query } = view.value;
  const isSearch = shown.list === 'search';
  const warnings = visible.value?.warnings.value ?? [];
  return (
    <div class="empty">
      <p>
        <strong>{t(isSearch ? 'noTracksMatch' : 'noTracksHere')}</strong>
      </p>
      {warnings.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
      {shown.list === 'collection' && (
        <>
          <p>{t('emptyCollectionHelp')}</p>
          <Link view={viewOf({ list: 'search' })} class="button">
            {t('showAllTracks')}
          </Link>
        </>
      )}
      {isSearch && <Offers query={query} />}
      {isSearch && (query.search || query.brief || restrictions(query) > 0) && (
        <button
          type="button"
          onClick={() =>
            refine({ ...NOTHING, search: undefined, brief: undefined, ignore: undefined })
          }
        >
          {t('showAllTracks')}
        </button>
      )}
    </div>
  );
}

interface Change {
  label: string;
  change: Partial<Query>;
}

function Offers({ query }: { query: Query }) {
  const changes = [...changesOf(query).slice(0, MAX_OFFERED), ...onlyText(query)];
  const { data } = useLoaded(JSON.stringify(query), (stave, signal) =>
    Promise.all(changes.map(({ change }) => countOf({ ...query, ...change }, stave, signal))),
  );
  return (
    <ul class="offers">
      {changes.map(({ label, change }, i) => (
        <li key={label}>
          {data?.[i] !== 0 && (
            <button type="button" class="chip" onClick={() => refine(change)}>
              {label}
              {data !== undefined && <span class="count">{t('countTracks', { n: data[i]! })}</span>}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

async function countOf(query: Query, stave: StaveClient, signal: AbortSignal): Promise<number> {
  const { scopes } = session.peek()!.me;
  const page = await sourceOf({ shown: { list: 'search' }, query }, stave, scopes)?.load(1, signal);
  return page?.total ?? 0;
}

/** The text of the search alone, for searches of which no single part is to blame. */
function onlyText({ search, ...query }: Query): Change[] {
  if (!search || restrictions(query) < 2) return [];
  return [{ label: t('onlyName', { name: `“${search}”` }), change: NOTHING }];
}

/** The search without each of its parts, and with tracks without audio. */
function changesOf(query: Query): Change[] {
  const without = (name: string, change: Partial<Query>) => ({
    label: t('without', { name }),
    change,
  });
  const { search, songKey, type } = query;
  return [
    ...(search ? [without(`“${search}”`, { search: undefined })] : []),
    ...chosenIn(query).map(({ slug, choice }) =>
      without(
        choiceLabel(knownFilters.value.get(slug)?.name ?? slug, choice),
        withChoice(query, slug, undefined),
      ),
    ),
    ...(type ? [without(t(type === 'sfx' ? 'soundEffects' : 'music'), { type: undefined })] : []),
    ...(vocalsOf(query).length > 0
      ? [
          without(
            vocalsOf(query)
              .map((one) => t(VOCALS_NAMES[one]))
              .join(t('or')),
            { vocals: undefined, hasVocals: undefined },
          ),
        ]
      : []),
    ...(songKey ? [without(t('key'), { songKey: undefined })] : []),
    ...rangesOf(query).map(({ from, to, text }) =>
      without(text, { [from]: undefined, [to]: undefined }),
    ),
    ...(query.hasAudio === undefined
      ? [{ label: t('anyAudio'), change: { hasAudio: 'any' as const } }]
      : [without(audioName(query)!, { hasAudio: undefined })]),
  ];
}
