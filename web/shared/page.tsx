import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { elapsed } from '../explorer/list/time.ts';
import { Icon } from '../explorer/shell/icon.tsx';
import { isDark, toggleTheme } from '../explorer/shell/theme.ts';
import { unlock } from './api.ts';
import { artistsOf, collection, failed, items, loadMore, problem, state } from './collection.ts';
import { HelpDialog, isHelpOpen, NameDialog } from './dialogs.tsx';
import {
  duration,
  failure,
  isHeard,
  isMuted,
  playing,
  position,
  seek,
  skip,
  toggle,
} from './player.ts';
import { Row } from './row.tsx';
import { Wave } from './wave.tsx';

export function Page() {
  return (
    <>
      <main>
        {state.value === 'loading' && <p class="notice">Loading …</p>}
        {state.value === 'locked' && <Lock />}
        {state.value === 'ended' && (
          <Notice title="There is nothing here">
            This link does not exist, or it has ended. Ask the person who sent it for a new one.
          </Notice>
        )}
        {state.value === 'failed' && (
          <Notice title="The collection cannot be loaded">
            {problem.value}{' '}
            <button type="button" onClick={loadMore}>
              Try again
            </button>
          </Notice>
        )}
        {state.value === 'shown' && <Collection />}
      </main>
      <PlayerBar />
      <HelpDialog />
      <NameDialog />
    </>
  );
}

function Notice({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <div class="notice">
      <h1>{title}</h1>
      <p role="status">{children}</p>
    </div>
  );
}

function Lock() {
  const field = useRef<HTMLInputElement>(null);
  const isSending = useSignal(false);
  useEffect(() => field.current?.focus(), []);
  const send = async () => {
    isSending.value = true;
    try {
      await unlock(field.current!.value);
      await loadMore();
      if (state.value === 'locked') {
        problem.value = 'The browser keeps no cookie of this page. It must be opened over HTTPS.';
      }
    } catch (error) {
      failed(error);
      field.current?.select();
    } finally {
      isSending.value = false;
    }
  };
  return (
    <form
      class="notice"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <h1>This collection has a password</h1>
      <label>
        Password
        <input
          ref={field}
          type="password"
          required
          maxLength={128}
          autocomplete="current-password"
        />
      </label>
      <p class="problem" role="alert">
        {problem.value !== FIRST && problem.value}
      </p>
      <button type="submit" class="primary" disabled={isSending.value}>
        Open
      </button>
    </form>
  );
}

/** What the service says to everybody who has not entered the password yet. */
const FIRST = 'The link has a password; enter it first.';

function Collection() {
  const { name, description, by, expiresAt, totalRecords } = collection.value!;
  const more = totalRecords - items.value.length;
  return (
    <>
      <header>
        <div class="tools">
          <button
            type="button"
            class="bare"
            aria-label="Help"
            onClick={() => (isHelpOpen.value = true)}
          >
            <Icon name="help" />
          </button>
          <button
            type="button"
            class="bare"
            aria-label={isDark.value ? 'Light colors' : 'Dark colors'}
            onClick={toggleTheme}
          >
            <Icon name={isDark.value ? 'sun' : 'moon'} />
          </button>
        </div>
        <h1 dir="auto">{name}</h1>
        <p class="meta">
          {totalRecords === 1 ? '1 track' : `${totalRecords} tracks`} · shared by{' '}
          <span dir="auto">{by.name}</span> until {new Date(expiresAt).toLocaleDateString()}
        </p>
        {description !== '' && (
          <p class="description" dir="auto">
            {description}
          </p>
        )}
      </header>
      <p class="problem" role="alert">
        {problem.value}
      </p>
      <ol class="rows" aria-label="Tracks">
        {items.value.map((item) => (
          <Row key={item.track.id} item={item} />
        ))}
      </ol>
      {more > 0 && (
        <button type="button" class="more" onClick={loadMore}>
          Show more ({more})
        </button>
      )}
    </>
  );
}

function PlayerBar() {
  const item = items.value.find(({ track }) => track.id === playing.value);
  if (item === undefined) return null;
  const [now, end] = [position.value, Math.round(duration.value)];
  return (
    <section class="player" aria-label="Player">
      <div class="now">
        <img src={item.track.artworkUrl} alt="" width="48" height="48" />
        <div class="names">
          <span class="name" dir="auto">
            {item.track.name}
          </span>
          <span class="artists" dir="auto">
            {failure.value === '' ? (
              artistsOf(item)
            ) : (
              <span class="problem" role="alert">
                {failure.value}
              </span>
            )}
          </span>
        </div>
      </div>
      <div class="transport">
        <button type="button" class="bare" aria-label="Previous track" onClick={() => skip(-1)}>
          <Icon name="previous" />
        </button>
        <button
          type="button"
          class="round"
          aria-label={isHeard.value ? 'Pause' : 'Play'}
          onClick={toggle}
        >
          <Icon name={isHeard.value ? 'pause' : 'play'} />
        </button>
        <button type="button" class="bare" aria-label="Next track" onClick={() => skip(1)}>
          <Icon name="next" />
        </button>
      </div>
      <div class="timeline">
        <span class="time">{elapsed(now)}</span>
        <div class="wave">
          <Wave
            key={item.track.id}
            track={item.track}
            isLine={item.track.streamUrl === undefined}
          />
          <input
            type="range"
            aria-label="Position"
            aria-valuetext={`${elapsed(now)} of ${elapsed(end)}`}
            min="0"
            max={Math.max(1, end)}
            step="1"
            value={Math.round(now)}
            onInput={(event) => seek(Number(event.currentTarget.value))}
          />
        </div>
        <span class="time">{elapsed(end)}</span>
      </div>
      <button
        type="button"
        class="bare mute"
        aria-label="Mute"
        aria-pressed={isMuted.value}
        onClick={() => {
          isMuted.value = !isMuted.value;
        }}
      >
        <Icon name={isMuted.value ? 'muted' : 'volume'} />
      </button>
    </section>
  );
}
