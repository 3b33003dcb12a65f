import { useEffect, useRef } from 'preact/hooks';

/**
 * Returns whether a component is still shown, for what it does after an answer: the visitor may have opened something
 * else meanwhile.
 */
export function useIsShown(): () => boolean {
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return () => isShown.current;
}
