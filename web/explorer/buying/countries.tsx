import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { RateCard } from '#client';
import { announce } from '../shell/announcement.tsx';
import { Icon } from '../shell/icon.tsx';
import { t } from '../texts/texts.ts';
import { soldBy, territoryName, WORLD } from './names.ts';

/** Chooses countries by their names, and by the groups of the rate card. */
export function Countries({ card, chosen }: { card: RateCard; chosen: Signal<string[]> }) {
  const id = useId();
  const { countries, isWorldSold } = soldBy(card);
  const groups = card.territories.filter((group) => (group.countries?.length ?? 0) > 1);
  const isWorld = chosen.value.includes(WORLD);
  const add = (codes: readonly string[]) => {
    chosen.value = [...new Set([...chosen.value.filter((code) => code !== WORLD), ...codes])];
    announce(t('added'));
  };
  const take = (field: HTMLInputElement, isWhole: boolean) => {
    const typed = field.value.trim().toLocaleLowerCase();
    if (typed === '') return;
    const named = countries.filter((code) => territoryName(code).toLocaleLowerCase() === typed);
    const begun = countries.filter((code) =>
      territoryName(code).toLocaleLowerCase().startsWith(typed),
    );
    const found = named[0] ?? (isWhole ? begun[0] : undefined);
    if (found === undefined) return;
    add([found]);
    field.value = '';
  };
  return (
    <fieldset class="countries">
      <legend>{t('countries')}</legend>
      <div class="chips">
        {chosen.value.map((code) => (
          <button
            type="button"
            class="chip on"
            key={code}
            aria-label={t('remove', { name: territoryName(code) })}
            onClick={() => {
              chosen.value = chosen.value.filter((other) => other !== code);
            }}
          >
            {territoryName(code)} <Icon name="close" />
          </button>
        ))}
      </div>
      <input
        list={id}
        aria-label={t('addCountry')}
        placeholder={t('addCountry')}
        autocomplete="off"
        onInput={({ currentTarget }) => take(currentTarget, false)}
        onBlur={({ currentTarget }) => take(currentTarget, true)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // The form is not complete yet.
          event.preventDefault();
          take(event.currentTarget, true);
        }}
      />
      <datalist id={id}>
        {countries.map((code) => (
          <option key={code} value={territoryName(code)} />
        ))}
      </datalist>
      <div class="chips">
        {isWorldSold && !isWorld && (
          <button
            type="button"
            class="chip"
            onClick={() => {
              chosen.value = [WORLD];
            }}
          >
            {territoryName(WORLD)}
          </button>
        )}
        {groups.map((group) => (
          <button
            type="button"
            class="chip"
            key={group.code}
            onClick={() => add(group.countries ?? [])}
          >
            {territoryName(group.code)} <span class="count">{group.countries?.length}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
