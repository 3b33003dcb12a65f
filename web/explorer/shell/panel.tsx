import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { view } from '../browse/location.ts';
import { t } from '../texts/texts.ts';
import { Icon } from './icon.tsx';

/** What lies beside the list; on narrow screens, over it. The focus moves to its heading when it opens. */
export function Panel({
  title,
  close,
  isText = false,
  children,
}: {
  title: string;
  close: () => void;
  /** Whether nothing in it takes the focus, so that it must take it itself to be scrolled by keys. */
  isText?: boolean;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { track, panel } = view.value;
  useEffect(() => heading.current?.focus(), [track, panel]);
  return (
    <aside class="panel" aria-label={title}>
      <div class="panel-top">
        <h2 tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <button type="button" class="bare" aria-label={t('close', { name: title })} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div class="panel-body" {...(isText && { tabIndex: 0 })}>
        {children}
      </div>
    </aside>
  );
}
