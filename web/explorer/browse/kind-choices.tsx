import { visible } from '../list/shown-list.ts';
import { t } from '../texts/texts.ts';
import { Chip, type ChipProps } from './chip.tsx';
import { audioName, VOCALS_NAMES, vocalsOf } from './kinds.ts';
import { refine, view } from './location.ts';
import { VOCALS } from './view.ts';

/** Music or sound effects. */
export function TypeChoice() {
  const { type } = view.value.query;
  const types = visible.value?.facets.value?.types;
  const options = (['music', 'sfx'] as const).map((one) => ({
    label: t(one === 'music' ? 'music' : 'soundEffects'),
    // The API omits values without tracks.
    count: types && (types.find((facet) => facet.type === one)?.trackCount ?? 0),
    isOn: type === one,
    onClick: () => refine({ type: type === one ? undefined : one }),
  }));
  return <Options title={t('type')} options={options} />;
}

/** What is known of the vocals. */
export function VocalsChoice() {
  const chosen = vocalsOf(view.value.query);
  const facets = visible.value?.facets.value?.vocals;
  const options = VOCALS.map((one) => ({
    label: t(VOCALS_NAMES[one]),
    count: facets && (facets.find(({ vocals }) => vocals === one)?.trackCount ?? 0),
    isOn: chosen.includes(one),
    onClick: () => {
      const next = VOCALS.filter((other) => chosen.includes(other) !== (other === one));
      refine({ vocals: next.length > 0 ? next : undefined, hasVocals: undefined });
    },
  }));
  return <Options title={t('vocals')} options={options} />;
}

/** Whether there is something to hear. */
export function AudioChoice() {
  const { hasAudio } = view.value.query;
  const options = ([undefined, false] as const).map((one) => ({
    label: audioName({ hasAudio: one }) ?? t('withAudio'),
    isOn: hasAudio === one,
    onClick: () => refine({ hasAudio: hasAudio === one ? 'any' : one }),
  }));
  return <Options title={t('audio')} options={options} />;
}

function Options({ title, options }: { title: string; options: readonly ChipProps[] }) {
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      <div class="chips">
        {options.map((option) => (
          <Chip key={option.label} {...option} />
        ))}
      </div>
    </fieldset>
  );
}
