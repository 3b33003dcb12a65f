import { number } from '../texts/texts.ts';
export interface ChipProps {
  label: string;
  /** How many tracks it would leave; undefined if unknown. */
  count?: number | undefined;
  isOn: boolean;
  /** Whether tracks must not have it. */
  isExcluded?: boolean;
  onClick: () => void;
}

/** A choice among several, which a click makes or takes back. */
export function Chip({ label, count, isOn, isExcluded = false, onClick }: ChipProps) {
  const kind = isExcluded ? 'chip excluded' : 'chip';
  return (
    <button type="button" class={kind} aria-pressed={isOn} onClick={onClick}>
      {label}
      {count !== undefined && <span class="count">{number(count)}</span>}
    </button>
  );
}
