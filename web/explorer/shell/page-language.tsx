import { useId } from 'preact/hooks';
import { chooseLanguage, LANGUAGES, type Language, language, t } from '../texts/texts.ts';
import { nameOf } from './language-choice.tsx';

/** Chooses the language of the page itself. */
export function PageLanguage() {
  const id = useId();
  return (
    <div class="language">
      <label for={id}>{t('pageLanguage')}</label>
      <select
        id={id}
        value={language.value}
        // It stays as it is if the texts cannot be loaded.
        onChange={({ currentTarget }) =>
          chooseLanguage(currentTarget.value as Language).catch(() => {
            currentTarget.value = language.value;
          })
        }
      >
        {LANGUAGES.map((tag) => (
          <option key={tag} value={tag} lang={tag} selected={tag === language.value}>
            {nameOf(tag)}
          </option>
        ))}
      </select>
    </div>
  );
}
