import { Icon } from '../explorer/shell/icon.tsx';
import { isDark, toggleTheme } from '../explorer/shell/theme.ts';
import { collection, isPlayable, items } from './collection.ts';
import { isHelpOpen } from './dialogs.tsx';
import { askName, guest } from './guest.ts';
import { isHeard, playing, start, toggle } from './player.ts';
import { day, t } from './texts/texts.ts';

const COVERS = 4;
const LONG_NAME = 60;

export function Header() {
  const { name, description, by, expiresAt, totalRecords: all } = collection.value!;
  const first = items.value.find(isPlayable);
  const voted = items.value.filter(({ track }) => track.id in guest.value.votes).length;
  return (
    <header>
      <Cover />
      <div class="about">
        <h1 dir="auto" class={name.length > LONG_NAME ? 'long' : ''}>
          {name}
        </h1>
        <p class="meta">
          {[t('countTracks', { n: all }), ...minutes()].join(' · ')}
          {' · '}
          <SharedBy name={by.name} /> {t('until', { day: day(expiresAt) })}
        </p>
        {description !== '' && (
          <p class="description" dir="auto">
            {description}
          </p>
        )}
        <div class="actions">
          {first && (
            <button
              type="button"
              class="primary"
              onClick={() => (playing.value ? toggle() : void start(first.track.id))}
            >
              <Icon name={isHeard.value ? 'pause' : 'play'} />
              {t(isHeard.value ? 'pause' : playing.value || all === 1 ? 'play' : 'playAll')}
            </button>
          )}
          {voted > 0 && <p class="meta">{t('voted', { n: voted, all })}</p>}
        </div>
      </div>
      <Tools />
    </header>
  );
}

/** The length of the collection, if all of it is loaded. */
function minutes(): string[] {
  if (items.value.length < collection.value!.totalRecords) return [];
  const seconds = items.value.reduce((sum, { track }) => sum + track.durationSeconds, 0);
  return seconds > 0 ? [t('minutes', { n: Math.max(1, Math.round(seconds / 60)) })] : [];
}

function SharedBy({ name }: { name: string }) {
  const [before, after] = t('sharedBy', { name: '\n' }).split('\n');
  return (
    <>
      {before}
      <bdi>{name}</bdi>
      {after}
    </>
  );
}

/** The artwork of the first tracks: four different ones, or one. */
function Cover() {
  const urls = [...new Set(items.value.map(({ track }) => track.artworkUrl))].slice(0, COVERS);
  if (urls.length === 0) return null;
  const shown = urls.length < COVERS ? urls.slice(0, 1) : urls;
  return (
    <div class={`covers of${shown.length}`} aria-hidden="true">
      {shown.map((url) => (
        <img key={url} src={url} alt="" width="200" height="200" />
      ))}
    </div>
  );
}

function Tools() {
  const { name } = guest.value;
  return (
    <div class="tools">
      {name !== '' && (
        <button
          type="button"
          class="quiet"
          aria-label={t('changeName', { name })}
          onClick={() => void askName()}
        >
          <bdi>{name}</bdi>
        </button>
      )}
      <button
        type="button"
        class="bare"
        aria-label={t('help')}
        onClick={() => {
          isHelpOpen.value = true;
        }}
      >
        <Icon name="help" />
      </button>
      <button
        type="button"
        class="bare"
        aria-label={t(isDark.value ? 'lightColors' : 'darkColors')}
        onClick={toggleTheme}
      >
        <Icon name={isDark.value ? 'sun' : 'moon'} />
      </button>
    </div>
  );
}
