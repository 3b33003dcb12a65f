import { signal } from '@preact/signals';
import type { SharedItem } from '#client';
import { Icon } from '../explorer/shell/icon.tsx';
import { sendVote } from './api.ts';
import { items, showVotes } from './collection.ts';
import { guest, keepVote, namedGuest, type Vote } from './guest.ts';
import { number, t } from './texts/texts.ts';
import { notSaved, toast } from './toast.tsx';

/** The tracks whose votes are being sent. */
const sending = signal<ReadonlySet<string>>(new Set());

/** Sends a vote, or takes it back if it is the present one. */
export function vote(trackId: string, wanted: Vote): Promise<void> {
  return setVote(trackId, voteOf(trackId) === wanted ? null : wanted);
}

function voteOf(trackId: string): Vote | null {
  return guest.value.votes[trackId] ?? null;
}

/** The page shows the vote at once, and takes it back if it cannot be saved. */
async function setVote(trackId: string, next: Vote | null): Promise<void> {
  const before = voteOf(trackId);
  const sender = await namedGuest();
  if (sender === undefined || before === next || sending.value.has(trackId)) return;
  sending.value = new Set([...sending.value, trackId]);
  put(trackId, before, next);
  try {
    showVotes(await sendVote(sender, trackId, next));
    const name = items.value.find(({ track }) => track.id === trackId)?.track.name ?? '';
    const key = next === null ? 'voteRemoved' : next === 'approve' ? 'approved' : 'passed';
    const undo = { label: t('undo'), act: () => void setVote(trackId, before) };
    toast.value = { text: t(key, { name }), action: undo };
  } catch (error) {
    put(trackId, next, before);
    const again = () => void setVote(trackId, next);
    await notSaved(error, { limit: 'guestLimit', again });
  } finally {
    sending.value = new Set([...sending.value].filter((id) => id !== trackId));
  }
}

function put(trackId: string, from: Vote | null, to: Vote | null): void {
  keepVote(trackId, to);
  const votes = { ...items.value.find(({ track }) => track.id === trackId)!.votes };
  if (from !== null) votes[from] = Math.max(0, votes[from] - 1);
  if (to !== null) votes[to] += 1;
  showVotes({ trackId, votes });
}

export function VoteButton({
  item: { track, votes },
  vote: wanted,
}: {
  item: SharedItem;
  vote: Vote;
}) {
  const label = t(wanted);
  return (
    <button
      type="button"
      class={`vote ${wanted}`}
      aria-pressed={voteOf(track.id) === wanted}
      aria-busy={sending.value.has(track.id)}
      aria-label={t('countOn', { label, n: votes[wanted], name: track.name })}
      onClick={() => vote(track.id, wanted)}
    >
      <Icon name={wanted === 'approve' ? 'done' : 'close'} />
      {label} <span class="count">{number(votes[wanted])}</span>
    </button>
  );
}
