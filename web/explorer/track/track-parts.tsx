import { useEffect } from 'preact/hooks';
import type { Track, TrackParts } from '#client';
import { type Part, partName, partsOf } from '../list/part.ts';
import { PAGE_SIZE } from '../list/source.ts';
import { clock } from '../list/time.ts';
import { TrackPages } from '../list/track-pages.ts';
import { isHeard, playing, start, toggle } from '../player/player.ts';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { useLoaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';
import { megabytes } from './audio-text.ts';

/** How long before their end the URLs are requested again, and the shortest time between two requests. */
const MARGIN_MS = 60_000;

/** The stems and the other versions of a track: to play, and to download. */
export function Parts({ track }: { track: Track }) {
  const { data, failure, reload } = useLoaded(`parts ${track.slug}`, (stave, signal) =>
    stave.listStems({ slug: track.slug }, { signal }).then(),
  );
  useEffect(() => {
    if (data === undefined) return;
    const left = Date.parse(data.urlsExpireAt) - Date.now() - MARGIN_MS;
    const timer = setTimeout(reload, Math.max(MARGIN_MS, left));
    return () => clearTimeout(timer);
  }, [data, failure]);
  const problem = failure !== undefined && <Failure error={failure} retry={reload} />;
  if (data === undefined) return problem || null;
  if (data.archiveUrl === null) return null;
  const { stems, versions, archiveUrl } = data;
  const sizeBytes = partsOf(data).reduce((sum, part) => sum + part.sizeBytes, 0);
  return (
    <section class="section" aria-label={t('stemsAndVersions')}>
      {problem}
      <List title={t('stems')} track={track} parts={stems} all={data} />
      <List title={t('versions')} track={track} parts={versions} all={data} />
      {/* In a tab of its own, so that an error does not end the session of this page. */}
      <a class="button" href={archiveUrl} target="_blank" rel="noreferrer" download>
        <Icon name="download" /> {t('allAsZip', { size: megabytes(sizeBytes) })}
      </a>
    </section>
  );
}

function List({
  title,
  track,
  parts,
  all,
}: {
  title: string;
  track: Track;
  parts: readonly Part[];
  all: TrackParts;
}) {
  if (parts.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="parts">
        {parts.map((part) => (
          <Line key={part.id} track={track} part={part} all={all} />
        ))}
      </ul>
    </>
  );
}

function Line({ track, part, all }: { track: Track; part: Part; all: TrackParts }) {
  const isThis = playing.value?.row.part?.id === part.id;
  const isPaused = !(isThis && isHeard.value);
  const name = partName(part);
  return (
    <li class={isThis ? 'playing' : ''}>
      <button
        type="button"
        class="bare"
        aria-label={t(isPaused ? 'playName' : 'pauseName', { name })}
        onClick={() => (isThis ? toggle() : play(track, part, all))}
      >
        <Icon name={isPaused ? 'play' : 'pause'} />
      </button>
      <span class="part">{name}</span>
      <span class="meta">
        {clock(part.durationSeconds)} · {part.format.toUpperCase()}, {megabytes(part.sizeBytes)}
      </span>
    </li>
  );
}

/** Plays a part; the next ones follow. */
function play(track: Track, part: Part, all: TrackParts): void {
  const rows = partsOf(all).map((one) => ({ track, part: one }));
  const index = rows.findIndex((row) => row.part.id === part.id);
  const path = '/v1/tracks/{slug}/stems';
  const call = {
    operation: 'listStems',
    method: 'GET',
    path,
    input: { slug: track.slug },
  } as const;
  const load = async (page: number) => ({
    total: rows.length,
    rows: rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
  });
  void start(new TrackPages({ call, load }), index);
}
