import { go, withLanguage } from '../browse/location.ts';
import { t } from '../texts/texts.ts';
import { chosenLanguage } from './session.ts';
import { useLoaded } from './use-loaded.ts';

/** Chooses the language of names. Nothing while there are no translations, or they cannot be loaded. */
export function LanguageChoice() {
  const { data } = useLoaded('languages', (stave, signal) =>
    stave.listLanguages({ signal }).then(),
  );
  if (data === undefined || data.items.length === 0) return null;
  const chosen = chosenLanguage();
  const tags = new Set([data.original, ...data.items.map(({ language }) => language)]);
  // Of a link from elsewhere.
  if (chosen !== undefined) tags.add(chosen);
  return (
    <section class="language" aria-label={t('languageOfNames')}>
      <label for="language">{t('namesIn')}</label>
      <select
        id="language"
        value={chosen ?? ''}
        onChange={(event) => go(withLanguage(event.currentTarget.value || undefined))}
      >
        <option value="">{t('automatic')}</option>
        {[...tags].map((tag) => (
          <option key={tag} value={tag} lang={tag}>
            {nameOf(tag)}
          </option>
        ))}
      </select>
    </section>
  );
}

/** What a language calls itself; its tag if the browser does not know it. */
export function nameOf(tag: string): string {
  try {
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
