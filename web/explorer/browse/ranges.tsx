import { visible } from '../list/shown-list.ts';
import { refine, view } from './location.ts';
import type { Query, RangeName } from './view.ts';

/** The ranges of tempo, length and release. An empty field is an open end. */
export function Ranges() {
  // A list without facets is no search, so nothing can be restricted.
  if (visible.value === undefined) return null;
  const { releasedFrom, releasedTo } = view.value.query;
  return (
    <>
      <fieldset class="group range">
        <legend>Tempo (BPM)</legend>
        <NumberField name="bpmMin" label="Lowest tempo" placeholder="from" />
        <NumberField name="bpmMax" label="Highest tempo" placeholder="to" />
      </fieldset>
      <fieldset class="group range">
        <legend>Length (seconds)</legend>
        <NumberField name="durationMin" label="Shortest length" placeholder="from" />
        <NumberField name="durationMax" label="Longest length" placeholder="to" />
      </fieldset>
      <fieldset class="group range dates">
        <legend>Release</legend>
        <DateField name="releasedFrom" label="Released from" value={releasedFrom} />
        <DateField name="releasedTo" label="Released until" value={releasedTo} />
      </fieldset>
    </>
  );
}

function NumberField({
  name,
  label,
  placeholder,
}: {
  name: RangeName;
  label: string;
  placeholder: string;
}) {
  return (
    <input
      type="number"
      aria-label={label}
      placeholder={placeholder}
      min="0"
      max={name.startsWith('bpm') ? 1000 : 86_400}
      inputMode="numeric"
      value={view.value.query[name] ?? ''}
      onChange={(event) => {
        const { value, valueAsNumber } = event.currentTarget;
        const isNumber = value !== '' && valueAsNumber >= 0;
        refine({ [name]: isNumber ? valueAsNumber : undefined } as Partial<Query>);
      }}
    />
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
