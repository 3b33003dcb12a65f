import type { StaveClient } from '#client';
import { go, view, viewOf, withTrack } from '../browse/location.ts';
import type { Shown, View } from '../browse/view.ts';
import { visible } from '../list/shown-list.ts';
import { playAll } from '../player/player.ts';
import { Icon, type IconName } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { may } from '../shell/session.ts';
import { TITLES } from '../shell/title.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { type Key, t } from '../texts/texts.ts';

type Listed = Extract<Shown, { list: keyof typeof BACK }>;

const BACK = {
  playlist: { list: 'playlists' },
  collection: { list: 'collections' },
  similar: { list: 'search' },
} as const;

/** The name of a playlist, a collection or the track whose similar ones are shown. */
export function ListBar({ shown }: { shown: Listed }) {
  // A failure is shown by the list itself.
  const { data } = useLoaded(`${shown.list} ${shown.of}`, (stave, signal) =>
    headingOf(shown, stave, signal),
  );
  return (
    <div class="result">
      <BackAndTitle back={viewOf(BACK[shown.list])} title={data?.name ?? t(TITLES[shown.list])} />
      {shown.list === 'similar' && <SimilarBy shown={shown} />}
      <PlayAll />
      {data?.owner && <PanelButton panel="edit" icon="edit" text="edit" />}
      {data?.owner && <PanelButton panel="links" icon="link" text="links" />}
      {shown.list === 'collection' && may('licensing') && (visible.value?.total.value ?? 0) > 0 && (
        <PanelButton panel="buy" icon="receipt" text="licenseCollection" />
      )}
      {data?.description && <p class="description">{data.description}</p>}
    </div>
  );
}

const COMPARED = { metadata: 'byFilters', sound: 'bySound', both: 'byBoth' } as const;

/** What of the tracks is compared. */
function SimilarBy({ shown }: { shown: Extract<Shown, { list: 'similar' }> }) {
  return (
    <label>
      <span class="hidden">{t('similar')}</span>
      <select
        value={shown.by ?? 'metadata'}
        onChange={({ currentTarget }) => {
          const by = currentTarget.value as keyof typeof COMPARED;
          go(viewOf({ ...shown, by: by === 'metadata' ? undefined : by }));
        }}
      >
        {Object.entries(COMPARED).map(([by, name]) => (
          <option key={by} value={by}>
            {t(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Plays the list from its first track that can be heard. */
function PlayAll() {
  const pages = visible.value;
  if (!pages?.total.value) return null;
  return (
    <button type="button" class="primary" onClick={() => playAll(pages)}>
      <Icon name="play" /> {t('playAll')}
    </button>
  );
}

/** Opens a panel about the list beside it, or closes it. */
function PanelButton({
  panel,
  icon,
  text,
}: {
  panel: 'buy' | 'edit' | 'links';
  icon: IconName;
  text: Key;
}) {
  const isOpen = view.value.panel === panel;
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={isOpen}
      onClick={() => go({ ...withTrack(undefined), panel: isOpen ? undefined : panel })}
    >
      <Icon name={icon} /> {t(text)}
    </button>
  );
}

/** The beginning of the bar: a link to the lists, the name of this one, and the number of its tracks. */
export function BackAndTitle({ back, title }: { back: View; title: string }) {
  const total = visible.value?.total.value;
  return (
    <>
      <Link view={back} class="back" aria-label={t('back')}>
        <Icon name="back" />
      </Link>
      <h1 tabIndex={-1}>{title}</h1>
      <p class="total" role="status">
        {total !== undefined && t('countTracks', { n: total })}
      </p>
    </>
  );
}

async function headingOf(
  { list, of }: Listed,
  stave: StaveClient,
  signal: AbortSignal,
): Promise<{ name: string; description: string; owner?: boolean }> {
  if (list === 'playlist') return stave.showPlaylist({ idOrSlug: of }, { signal });
  if (list === 'collection') return stave.showCollection({ id: of }, { signal });
  const { name } = await stave.showTrack({ slug: of }, { signal });
  return { name: t('like', { name }), description: '' };
}
