import type { ComponentChildren } from 'preact';
import { go, hrefOf } from '../browse/location.ts';
import type { View } from '../browse/view.ts';

/** A link to a view. It is a real link, so that it can be copied and opened in a tab. */
export function Link({
  view,
  onFollow,
  children,
  ...rest
}: {
  view: View;
  /** Called when the page itself shows the view. */
  onFollow?: () => void;
  children: ComponentChildren;
  class?: string;
  lang?: string | undefined;
  dir?: 'auto';
  tabIndex?: number;
  'aria-current'?: 'page' | undefined;
  'aria-label'?: string;
}) {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0)
      return;
    event.preventDefault();
    go(view);
    onFollow?.();
  };
  return (
    <a {...rest} href={hrefOf(view)} onClick={follow}>
      {children}
    </a>
  );
}
