import { useSignal } from '@preact/signals';
import { t } from '../texts/texts.ts';
import { type Key, keyOf, MAJOR_KEYS, MINOR_KEYS, withKey } from './camelot.ts';
import { refine, view } from './location.ts';

/** The keys from outside in. */
const RINGS = [MAJOR_KEYS, MINOR_KEYS];
/** The distances of each ring from the middle, of a picture of 200 × 200 units. */
const RADII = [
  [68, 99],
  [33, 67],
] as const;

/** The steps that an arrow makes: along the ring, and from ring to ring. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The keys on a Camelot wheel. Several mean any of them. Arrows move, and Space chooses. */
export function KeyWheel() {
  const { songKey = [] } = view.value.query;
  const chosen = new Set(songKey.map((text) => keyOf(text)?.code));
  /** What Tab leads to. */
  const current = useSignal('8B');
  const press = (event: KeyboardEvent, ring: number, place: number, key: Key) => {
    const [along = 0, inwards = 0] = STEPS[event.key] ?? [];
    if (along === 0 && inwards === 0) {
      if (event.key !== ' ' && event.key !== 'Enter') return;
      refine({ songKey: withKey(songKey, key) });
    } else {
      const next = RINGS[ring + inwards]?.[(place + along + 12) % 12] ?? key;
      current.value = next.code;
      const wheel = (event.currentTarget as Element).closest('svg');
      wheel?.querySelector<SVGElement>(`[data-key="${next.code}"]`)?.focus();
    }
    // Other keys are those of the page.
    event.preventDefault();
  };
  return (
    <svg class="wheel" viewBox="0 0 200 200" role="group" aria-label={t('camelotWheel')}>
      {RINGS.flatMap((keys, ring) =>
        keys.map((key, place) => (
          <g
            key={key.code}
            role="checkbox"
            aria-checked={chosen.has(key.code)}
            aria-label={`${key.code}, ${key.name}`}
            tabindex={key.code === current.value ? 0 : -1}
            data-key={key.code}
            onClick={() => {
              current.value = key.code;
              refine({ songKey: withKey(songKey, key) });
            }}
            onKeyDown={(event) => press(event, ring, place, key)}
          >
            <path d={segment(ring, place)} />
            <Label keyOfIt={key} ring={ring} place={place} />
          </g>
        )),
      )}
    </svg>
  );
}

function Label({
  keyOfIt: { code, name },
  ring,
  place,
}: {
  keyOfIt: Key;
  ring: number;
  place: number;
}) {
  const [inner, outer] = RADII[ring]!;
  const { x, y } = at(inner + 0.55 * (outer - inner), place + 1);
  const short = name.replace(' minor', 'm').replace(' major', '');
  return (
    <text x={x} y={y}>
      <tspan x={x} dy="-0.15em">
        {code}
      </tspan>
      <tspan x={x} dy="1.05em" class="name">
        {short}
      </tspan>
    </text>
  );
}

/** The outline of a key. */
function segment(ring: number, place: number): string {
  const [inner, outer] = RADII[ring]!;
  const [from, to] = [place + 0.5, place + 1.5];
  const point = (radius: number, hour: number) => {
    const { x, y } = at(radius, hour);
    return `${x} ${y}`;
  };
  return (
    `M${point(outer, from)}A${outer} ${outer} 0 0 1 ${point(outer, to)}` +
    `L${point(inner, to)}A${inner} ${inner} 0 0 0 ${point(inner, from)}Z`
  );
}

/** A place on a clock. */
function at(radius: number, hour: number): { x: number; y: number } {
  const angle = (hour * Math.PI) / 6;
  const round = (value: number) => Math.round(value * 100) / 100;
  return { x: round(100 + radius * Math.sin(angle)), y: round(100 - radius * Math.cos(angle)) };
}
