import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { visible } from '../list/shown-list.ts';
import { Icon } from '../shell/icon.tsx';
import { t } from '../texts/texts.ts';
import { EMBEDDINGS, meaningOf } from './brief-text.ts';
import { knownFilters } from './known-filters.ts';
import { refine, view } from './location.ts';

const isOpened = signal(false);

const isOpen = () => isOpened.value || view.value.query.brief !== undefined;

/** Shows the field of the brief, or gives the brief up. */
export function BriefButton() {
  return (
    <button
      type="button"
      class="quiet"
      aria-label={t('brief')}
      aria-expanded={isOpen()}
      onClick={() => {
        isOpened.value = !isOpen();
        if (!isOpened.value) refine({ brief: undefined, ignore: undefined });
      }}
    >
      <Icon name="brief" /> <span class="only-wide">{t('brief')}</span>
    </button>
  );
}

/** A field for what you would write to a music consultant, and what was understood of it. */
export function BriefBox() {
  const field = useRef<HTMLTextAreaElement>(null);
  const { brief } = view.value.query;
  useEffect(() => {
    if (isOpened.value) field.current?.focus();
  }, [isOpened.value]);
  useEffect(() => {
    // Another address was opened.
    if (field.current && brief !== field.current.value.trim()) field.current.value = brief ?? '';
  }, [brief]);
  if (!isOpen()) return null;
  const find = () => {
    isOpened.value = true;
    const text = field.current!.value.trim() || undefined;
    refine({ brief: text, ignore: undefined, search: undefined, sort: undefined });
  };
  return (
    <>
      <form
        class="brief whole"
        onSubmit={(event) => {
          event.preventDefault();
          find();
        }}
      >
        <textarea
          ref={field}
          rows={2}
          maxLength={1000}
          aria-label={t('brief')}
          placeholder={t('briefExample')}
          defaultValue={brief}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            find();
          }}
        />
        <button type="submit" class="primary">
          {t('find')}
        </button>
      </form>
      <UnderstoodParts />
    </>
  );
}

/** What was understood: each part can be left out, and taken in again. */
function UnderstoodParts() {
  const { brief, ignore = [] } = view.value.query;
  const read = visible.value?.brief.value;
  if (brief === undefined || read === undefined) return null;
  const notUnderstood = read.ignored.filter((text) => !ignore.includes(text));
  return (
    <div class="active" role="group" aria-label={t('understood')}>
      {read.understood.map((part) => {
        const meaning = meaningOf(part, (slug) => knownFilters.value.get(slug)?.name);
        return (
          <button
            type="button"
            key={part.text}
            class={`chip on ${part.kind === 'not' ? 'excluded' : ''} ${part.hard ? '' : 'soft'}`}
            aria-label={t('leaveOut', { name: [part.text, meaning].filter(Boolean).join(' ') })}
            title={t(part.hard ? 'allHaveIt' : 'theyComeFirst')}
            onClick={() => refine({ ignore: [...ignore, part.text] })}
          >
            {part.text} {meaning && <span class="count">{meaning}</span>} <Icon name="close" />
          </button>
        );
      })}
      {ignore.map((text) => (
        <button
          type="button"
          key={text}
          class="chip"
          aria-label={t('takeIn', { name: text })}
          onClick={() => {
            const others = ignore.filter((one) => one !== text);
            refine({ ignore: others.length > 0 ? others : undefined });
          }}
        >
          <s>{text}</s>
        </button>
      ))}
      <span class="meta">
        {notUnderstood.length > 0 && `${t('notUnderstood', { names: notUnderstood.join(', ') })} `}
        {EMBEDDINGS[read.embeddings] && t(EMBEDDINGS[read.embeddings]!)}
      </span>
    </div>
  );
}
