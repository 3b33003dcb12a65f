import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Failure } from './failure.tsx';

/** A component whose script is loaded when it is shown first, so that the first script stays small. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined);
  const failure = signal<unknown>(undefined);
  const request = () => {
    failure.value = undefined;
    load().then(
      (component) => {
        loaded.value = component;
      },
      (error) => {
        failure.value = error;
      },
    );
  };
  return function Lazy(props: Props) {
    useEffect(() => {
      if (loaded.peek() === undefined) request();
    }, []);
    const Loaded = loaded.value;
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (failure.value !== undefined) return <Failure error={failure.value} retry={request} />;
    return (
      <p class="meta" role="status">
        {t('loading')}
      </p>
    );
  };
}
