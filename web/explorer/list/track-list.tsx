import { batch, signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Failure } from '../shell/failure.tsx';
import { listElement } from './focus.ts';
import { ScrollMap } from './scroll-map.ts';
import { cursor, wanted } from './shown-list.ts';
import type { TrackPages } from './track-pages.ts';
import { TrackRow } from './track-row.tsx';

/** The heights of a row, as in list.css, and the width of the list up to which a row has two lines. */
const [WIDE_ROW, NARROW_ROW, NARROW_LIST] = [56, 92, 620];
/** How much longer than the screen a list must be for what is above it to be folded, in pixels. */
const FOLD_PIXELS = 600;

/** Whether the list is not at its beginning, so that what is above it gives it room. */
export const isScrolled = signal(false);
/** Rows above and below the visible ones that are rendered, too. */
const SPARE_ROWS = 6;
/** After this pause of the scrolling, the tracks are requested, in milliseconds. */
const SETTLED_MS = 90;

/** A list of any number of tracks, of which only the visible ones are rendered and requested. */
export function TrackList({ pages, label }: { pages: TrackPages; label: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const total = pages.total.value ?? 0;
  const rowPixels = useSignal(WIDE_ROW);
  const map = useComputed(() => new ScrollMap((pages.total.value ?? 0) * rowPixels.value));
  /** The position in the list, in pixels, and the height of what is visible. */
  const position = useSignal(0);
  const viewport = useSignal(600);
  const range = useComputed(() => {
    const first = Math.max(0, Math.floor(position.value / rowPixels.value) - SPARE_ROWS);
    const last = Math.ceil((position.value + viewport.value) / rowPixels.value) + SPARE_ROWS;
    return [first, Math.min((pages.total.value ?? 0) - 1, last)] as const;
  });
  const scroll = useScroll(scroller, { map, position, viewport, rowPixels });

  useSignalEffect(() => {
    const [first, last] = range.value;
    if (last < first) return;
    const timer = setTimeout(() => pages.want(first, last), SETTLED_MS);
    return () => clearTimeout(timer);
  });
  // With the rows, so that keys move in a list as soon as it is visible.
  useLayoutEffect(() => {
    listElement.value = {
      show(index) {
        const top = index * rowPixels.value;
        const [from, height] = [position.value, viewport.value];
        if (top < from) scroll.to(top);
        else if (top + rowPixels.value > from + height) scroll.to(top + rowPixels.value - height);
      },
      nearest(index) {
        const first = Math.ceil(position.value / rowPixels.value);
        const last = Math.floor((position.value + viewport.value) / rowPixels.value) - 1;
        return Math.max(first, Math.min(last, index));
      },
    };
    return () => {
      listElement.value = undefined;
    };
  }, [pages]);

  useSignalEffect(() => {
    isScrolled.value = position.value > 0 && map.value.pixels > viewport.value + FOLD_PIXELS;
  });
  pages.arrivals.value;
  const [first, last] = range.value;
  const offset = scroll.seen.value - position.value;
  const rows = [];
  for (let index = first; index <= last; index++) {
    rows.push(
      <TrackRow
        key={index}
        pages={pages}
        index={index}
        row={pages.at(index)}
        top={offset + index * rowPixels.value}
        isCurrent={index === cursor.value}
      />,
    );
  }
  return (
    <div
      class={`tracks${wanted.value === pages ? '' : ' stale'}${rowPixels.value === NARROW_ROW ? ' narrow' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={total}
      aria-busy={wanted.value !== pages}
    >
      {pages.failure.value !== undefined && (
        <Failure error={pages.failure.value} retry={() => pages.retry(first, last)} />
      )}
      <div class="scroller" ref={scroller} onScroll={scroll.read} role="rowgroup">
        <div class="spacer" style={{ height: `${map.value.pixels}px` }} role="presentation">
          {rows}
        </div>
      </div>
    </div>
  );
}

interface ScrollState {
  map: { readonly value: ScrollMap };
  position: { value: number };
  viewport: { value: number };
  rowPixels: { value: number };
}

/** Keeps the position in the list and the scroll position of the element together. */
function useScroll(
  scroller: { current: HTMLDivElement | null },
  { map, position, viewport, rowPixels }: ScrollState,
) {
  const timer = useRef(0);
  const top = () => scroller.current?.scrollTop ?? 0;
  /** The scroll position for which `position` was computed. */
  const seen = useSignal(0);
  const limit = () => map.value.toList(Infinity, viewport.value);
  const set = (at: number) => {
    const next = Math.max(0, Math.min(at, limit()));
    if (scroller.current) scroller.current.scrollTop = map.value.toScroll(next, viewport.value);
    batch(() => {
      position.value = next;
      // The browser rounds it.
      seen.value = top();
    });
  };
  const read = () => {
    const moved = top() - seen.value;
    if (moved === 0) return;
    const isSmall = map.value.isCompressed && Math.abs(moved) < viewport.value;
    batch(() => {
      // In the compressed part, wheel and finger still move the list as far as they move. The scroll bar follows later.
      position.value = isSmall
        ? Math.max(0, Math.min(position.value + moved, limit()))
        : map.value.toList(top(), viewport.value);
      seen.value = top();
    });
    clearTimeout(timer.current);
    if (isSmall) timer.current = setTimeout(() => set(position.value), 200);
  };
  useLayoutEffect(() => {
    const element = scroller.current!;
    const observer = new ResizeObserver(() => {
      viewport.value = element.clientHeight;
      rowPixels.value = element.clientWidth > NARROW_LIST ? WIDE_ROW : NARROW_ROW;
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      clearTimeout(timer.current);
    };
  }, []);
  return { seen, read, to: set };
}
