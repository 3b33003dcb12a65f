import { useSignal } from '@preact/signals';
import type { StaveClient } from '#client';
import { type CollectionLink, type LinkComment, type SharedItem, StaveApiError } from '#client';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { may, session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { day, t } from '../texts/texts.ts';
import { DeleteButton } from './delete-button.tsx';
import { PAGE_SIZE, usePaged } from './use-paged.ts';

/** The tracks of which votes are read. */
const MAX_VOTED = 1_000;

/** What the guests of a link say of the tracks. */
export function LinkFeedback({ id, link }: { id: string; link: CollectionLink }) {
  return (
    <>
      <h4>{t('votesOfGuests')}</h4>
      {link.endedAt === null ? <Votes link={link} /> : <p class="meta">{t('votesEnded')}</p>}
      <h4>{t('commentsOfGuests')}</h4>
      <Comments id={id} link={link} />
    </>
  );
}

/**
 * The votes, which only the page of the link has: the API does not show them to the owner. So they are read as a guest
 * reads them, who has entered the password.
 */
function Votes({ link }: { link: CollectionLink }) {
  const { data, failure, reload } = useLoaded(`votes ${link.id}`, async (stave, signal) => {
    const voted: SharedItem[] = [];
    let count = 0;
    const token = link.url.split('/').at(-1)!;
    for await (const item of stave.readShared({ token, pageSize: PAGE_SIZE }, { signal })) {
      if (item.votes.approve + item.votes.pass > 0) voted.push(item);
      if (++count === MAX_VOTED) break;
    }
    return { voted: voted.sort(byVotes), count };
  });
  if (failure instanceof StaveApiError && failure.type === 'invalid_token') {
    return (
      <>
        <p class="meta">{t('votesLocked')}</p>
        <div class="actions">
          <a class="button" href={link.url} target="_blank" rel="noreferrer">
            {t('openPage')}
          </a>
          <button type="button" onClick={reload}>
            {t('tryAgain')}
          </button>
        </div>
      </>
    );
  }
  if (failure !== undefined) return <Failure error={failure} retry={reload} />;
  if (data === undefined) return <p class="meta">{t('loading')}</p>;
  return (
    <>
      <ul class="parts">
        {data.voted.map(({ track, votes }) => (
          <li key={track.id}>
            <span class="name" dir="auto">
              {track.name}
            </span>
            <span class="meta">{t('votes', { ...votes })}</span>
          </li>
        ))}
      </ul>
      {data.voted.length === 0 && <p class="meta">{t('nobodyVoted')}</p>}
      {data.count === MAX_VOTED && <p class="meta">{t('votesOfFirst', { n: MAX_VOTED })}</p>}
      <p class="meta">{t('votesCountAsOpening')}</p>
    </>
  );
}

function byVotes(a: SharedItem, b: SharedItem): number {
  return b.votes.approve - b.votes.pass - (a.votes.approve - a.votes.pass);
}

function Comments({ id, link }: { id: string; link: CollectionLink }) {
  const linkId = link.id;
  const { items, total, failure, more, reload } = usePaged(
    `comments ${linkId}`,
    async (stave, page, signal) => {
      const asked = { id, linkId, page, pageSize: PAGE_SIZE };
      const comments = await stave.listLinkComments(asked, { signal });
      return { ...comments, items: await withNames(comments.items, stave, signal) };
    },
  );
  const problem = useSignal<unknown>(undefined);
  const remove = async (commentId: string) => {
    problem.value = undefined;
    try {
      await session.peek()!.stave.deleteLinkComment({ id, linkId, commentId });
      announce(t('commentDeleted'));
      reload();
    } catch (error) {
      problem.value = error;
    }
  };
  const shown = problem.value ?? failure;
  return (
    <>
      {shown !== undefined && <Failure error={shown} retry={reload} />}
      {total === undefined && failure === undefined && <p class="meta">{t('loading')}</p>}
      {total === 0 && <p class="meta">{t('nobodyWrote')}</p>}
      <ul class="comments">
        {items.map(({ id: commentId, name, text, trackName, createdAt }) => (
          <li key={commentId}>
            <p dir="auto">{text}</p>
            <p class="meta">
              <bdi>{name}</bdi> · {trackName && <bdi>{trackName}</bdi>}
              {trackName && ' · '}
              {day(createdAt)}
            </p>
            <DeleteButton remove={() => remove(commentId)} name={`${name}, ${text}`} />
          </li>
        ))}
      </ul>
      {more && (
        <button type="button" onClick={more}>
          {t('showMore')}
        </button>
      )}
    </>
  );
}

/** Comments with the names of their tracks, as far as they are in the catalog. */
async function withNames(
  comments: readonly LinkComment[],
  stave: StaveClient,
  signal: AbortSignal,
): Promise<(LinkComment & { trackName?: string | undefined })[]> {
  const tracks = [...new Set(comments.map(({ trackId }) => trackId))];
  if (tracks.length === 0 || !may('tracks')) return [...comments];
  const { items } = await stave.batchTracks({ tracks }, { signal });
  const names = new Map(items.map(({ id, name }) => [id, name]));
  return comments.map((comment) => ({ ...comment, trackName: names.get(comment.trackId) }));
}
