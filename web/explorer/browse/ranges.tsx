import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { visible } from '../list/shown-list.ts';
import { type Key, t } from '../texts/texts.ts';
import { refine, view } from './location.ts';
import { LENGTHS, placeOf, type Scale, TEMPOS, valueAt } from './scale.ts';
import { rangesOf } from './summary.ts';
import type { Query, RangeName } from './view.ts';

/** The pause after which a slider that keys have moved restricts the search, in milliseconds. */
const PAUSE_MS = 250;

/** The ranges of tempo and length. */
export function Sliders() {
  // A list without facets is no search, so nothing can be restricted.
  if (visible.value === undefined) return null;
  return (
    <>
      <Slider title={t('tempo')} ends={TEMPO_ENDS} scale={TEMPOS} />
      <Slider title={t('length')} ends={LENGTH_ENDS} scale={LENGTHS} />
    </>
  );
}

/** The range of release. An empty field is an open end. */
export function Release() {
  if (visible.value === undefined) return null;
  const { releasedFrom, releasedTo } = view.value.query;
  return (
    <fieldset class="group dates">
      <legend>{t('release')}</legend>
      <DateField name="releasedFrom" label={t('releasedFrom')} value={releasedFrom} />
      <DateField name="releasedTo" label={t('releasedUntil')} value={releasedTo} />
    </fieldset>
  );
}

type Ends = readonly { end: 'from' | 'to'; name: RangeName; label: Key }[];

const TEMPO_ENDS: Ends = [
  { end: 'from', name: 'bpmMin', label: 'lowestTempo' },
  { end: 'to', name: 'bpmMax', label: 'highestTempo' },
];
const LENGTH_ENDS: Ends = [
  { end: 'from', name: 'durationMin', label: 'shortestLength' },
  { end: 'to', name: 'durationMax', label: 'longestLength' },
];

/** A range with a thumb for each end. */
function Slider({ title, ends, scale }: { title: string; ends: Ends; scale: Scale }) {
  /** What has been moved, but does not restrict the search yet. */
  const moved = useSignal<Partial<Query>>({});
  const timer = useRef(0);
  const query = { ...view.value.query, ...moved.value };
  const last = scale.length - 1;
  const [from = 0, to = last] = ends.map(({ end, name }) => placeOf(scale, end, query[name]));
  const textOf = (name: RangeName) => rangesOf({ [name]: query[name] })[0]?.text ?? t('any');
  const names = ends.map(({ name }) => name);
  const both = Object.fromEntries(names.map((name) => [name, query[name]]));
  const restrict = () => {
    refine(moved.value);
    moved.value = {};
  };
  return (
    <fieldset class="group">
      <legend>
        {title} <span class="value">{rangesOf(both)[0]?.text ?? t('any')}</span>
      </legend>
      <div class="slider">
        {to - from < last && (
          <span
            class="filled"
            style={{
              insetInlineStart: `${(from / last) * 100}%`,
              insetInlineEnd: `${(1 - to / last) * 100}%`,
            }}
          />
        )}
        {ends.map(({ end, name, label }) => (
          <input
            key={name}
            type="range"
            aria-label={t(label)}
            aria-valuetext={textOf(name)}
            // So that of two thumbs in one place, the one that can be moved is on top.
            class={end === 'from' && from > last / 2 ? 'upper' : ''}
            max={last}
            value={end === 'from' ? from : to}
            onInput={({ currentTarget }) => {
              const asked = currentTarget.valueAsNumber;
              const place = end === 'from' ? Math.min(asked, to) : Math.max(asked, from);
              currentTarget.value = String(place);
              moved.value = { ...moved.value, [name]: valueAt(scale, end, place) };
            }}
            onChange={() => {
              clearTimeout(timer.current);
              timer.current = setTimeout(restrict, PAUSE_MS);
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}

function DateField({
  name,
  label,
  value,
}: {
  name: 'releasedFrom' | 'releasedTo';
  label: string;
  value: string | undefined;
}) {
  return (
    <input
      type="date"
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => refine({ [name]: event.currentTarget.value || undefined })}
    />
  );
}
