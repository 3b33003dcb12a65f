import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StaveClient } from '#client';
import { chosenLanguage, session } from './session.ts';

/**
 * Something that a component requests. What has arrived stays while it is requested again, also if that fails: then both
 * `data` and `failure` are defined.
 */
export interface Loaded<Data> {
  data: Data | undefined;
  failure: unknown;
  /** Requests it again. */
  reload(): void;
}

/** Requests something, and again whenever the name or the language changes. */
export function useLoaded<Data>(
  name: string,
  load: (stave: StaveClient, signal: AbortSignal) => Promise<Data>,
): Loaded<Data> {
  const language = chosenLanguage();
  const state = useSignal<{ name: string; data?: Data | undefined; failure?: unknown }>({ name });
  const round = useSignal(0);
  useEffect(() => {
    const abort = new AbortController();
    load(session.peek()!.stave, abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) state.value = { name, data };
      },
      (failure) => {
        if (abort.signal.aborted) return;
        const { name: before, data } = state.peek();
        state.value = { name, data: before === name ? data : undefined, failure };
      },
    );
    return () => abort.abort();
  }, [name, language, round.value]);
  const isThis = state.value.name === name;
  return {
    data: isThis ? state.value.data : undefined,
    failure: isThis ? state.value.failure : undefined,
    reload: () => {
      round.value++;
    },
  };
}
