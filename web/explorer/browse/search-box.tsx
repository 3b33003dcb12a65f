import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Suggestions } from '#client';
import { Icon } from '../shell/icon.tsx';
import { may, session } from '../shell/session.ts';
import { number, t } from '../texts/texts.ts';
import { withChoice } from './choices.ts';
import { refine, view } from './location.ts';

/** The pause of the typing after which the search begins, in milliseconds. */
const PAUSE_MS = 120;

/** A text takes the place of a brief. */
const NO_BRIEF = { brief: undefined, ignore: undefined };

type Suggestion = Suggestions['items'][number];

/** The text field of the search: tracks while you type, and suggestions to choose from. */
export function SearchBox() {
  const { text, isOpen, active, search, type, choose } = useSearchText();
  const suggestions = useSuggestions(text, isOpen);
  const press = (event: KeyboardEvent) => {
    const { length } = suggestions.value;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (length === 0) return;
      event.preventDefault();
      isOpen.value = true;
      const step = event.key === 'ArrowDown' ? 1 : -1;
      // From -1, the text field itself.
      active.value = ((active.value + 1 + step + length + 1) % (length + 1)) - 1;
    } else if (event.key === 'Enter') {
      const chosen = isOpen.value ? suggestions.value[active.value] : undefined;
      if (chosen !== undefined) choose(chosen);
      else search(text.value.trim());
      isOpen.value = false;
    } else if (event.key === 'Escape' && isOpen.value) {
      event.stopPropagation();
      isOpen.value = false;
    }
  };
  const isShown = isOpen.value && suggestions.value.length > 0;
  const combobox = {
    ...COMBOBOX,
    'aria-label': t('searchLabel'),
    'aria-expanded': isShown,
    ...(isShown && active.value >= 0 && { 'aria-activedescendant': `suggestion-${active.value}` }),
  };
  return (
    <div class="search">
      <Icon name="search" />
      <input
        {...combobox}
        type="text"
        id="search"
        enterKeyHint="search"
        placeholder={t('searchPlaceholder')}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={text.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
        onBlur={() => {
          isOpen.value = false;
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      <SuggestionList
        items={isShown ? suggestions.value : []}
        active={active.value}
        choose={choose}
      />
    </div>
  );
}

/** The text, and what typing and choosing do. */
function useSearchText() {
  const text = useSignal(view.value.query.search ?? '');
  const sent = useRef(text.value);
  const timer = useRef(0);
  const isOpen = useSignal(false);
  const active = useSignal(-1);

  useSignalEffect(() => {
    const { search = '' } = view.value.query;
    // Another address was opened.
    if (search !== sent.current) text.value = sent.current = search;
  });
  const search = (next: string) => {
    clearTimeout(timer.current);
    sent.current = next;
    refine({ search: next || undefined, ...NO_BRIEF }, { replace: true });
  };
  const type = (next: string) => {
    text.value = next;
    active.value = -1;
    isOpen.value = true;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(next.trim()), PAUSE_MS);
  };
  const choose = (suggestion: Suggestion) => {
    isOpen.value = false;
    if (suggestion.kind === 'name') {
      text.value = suggestion.text;
      search(suggestion.text);
    } else {
      clearTimeout(timer.current);
      text.value = sent.current = '';
      const { slug } = suggestion.filter;
      refine({ search: undefined, ...NO_BRIEF, ...withChoice(view.peek().query, slug, 'any') });
    }
  };
  return { text, isOpen, active, search, type, choose };
}

const COMBOBOX = {
  role: 'combobox',
  // Suggestions are no <datalist>, because they are of two kinds.
  list: undefined,
  'aria-autocomplete': 'list',
  'aria-controls': 'suggestions',
} as const;

/** The suggestions below the text field, whose keys move among them. */
function SuggestionList({
  items,
  active,
  choose,
}: {
  items: readonly Suggestion[];
  active: number;
  choose: (suggestion: Suggestion) => void;
}) {
  return (
    <div id="suggestions" role="listbox" aria-label={t('suggestions')} hidden={items.length === 0}>
      {items.map((suggestion, i) => (
        <div
          role="option"
          id={`suggestion-${i}`}
          key={`${suggestion.kind} ${suggestion.text}`}
          tabIndex={-1}
          aria-selected={i === active}
          onPointerDown={(event) => {
            // Before the text field loses the focus.
            event.preventDefault();
            choose(suggestion);
          }}
        >
          <span>{suggestion.text}</span>
          {suggestion.kind === 'filter' && (
            <span class="meta">
              {suggestion.filter.type} · {number(suggestion.trackCount)}
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

/** The suggestions for a text, if the client may have them. A failure gives none: the search itself reports it. */
function useSuggestions(text: { value: string }, isOpen: { value: boolean }) {
  const suggestions = useSignal<Suggestion[]>([]);
  useSignalEffect(() => {
    const q = text.value.trim();
    if (q === '') suggestions.value = [];
    if (q === '' || !isOpen.value || !may('search')) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      session
        .peek()
        ?.stave.suggest({ q, limit: 8 }, { signal: abort.signal, maxRetries: 0 })
        .then(
          ({ items }) => {
            suggestions.value = items.filter(({ kind }) => kind === 'filter' || kind === 'name');
          },
          () => {},
        );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  });
  return suggestions;
}
