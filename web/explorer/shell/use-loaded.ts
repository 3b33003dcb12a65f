import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StaveClient } from '#client';
import { chosenLanguage, session } from './session.ts';

/** Something that a component requests: it has arrived, has failed, or neither yet. */
export interface Loaded<Data> {
  data: Data | undefined;
  failure: unknown;
  /** Requests it again. What has arrived stays until then. */
  reload(): void;
}

/** Requests something, and again whenever the key or the language changes. */
export function useLoaded<Data>(
  name: string,
  load: (stave: StaveClient, signal: AbortSignal) => Promise<Data>,
): Loaded<Data> {
  const key = `${chosenLanguage() ?? ''} ${name}`;
  const state = useSignal<{ key: string; data?: Data; failure?: unknown }>({ key });
  const round = useSignal(0);
  useEffect(() => {
    const abort = new AbortController();
    load(session.peek()!.stave, abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) state.value = { key, data };
      },
      (failure) => {
        if (!abort.signal.aborted) state.value = { key, failure };
      },
    );
    return () => abort.abort();
  }, [key, round.value]);
  const isThis = state.value.key === key;
  return {
    data: isThis ? state.value.data : undefined,
    failure: isThis ? state.value.failure : undefined,
    reload: () => {
      round.value++;
    },
  };
}
