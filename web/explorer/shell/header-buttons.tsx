import { t } from '../texts/texts.ts';
import { Icon, type IconName } from './icon.tsx';
import { nameOfUser, session, signOut } from './session.ts';
import { isDark, toggleTheme } from './theme.ts';

/* What is in the header, and on narrow screens in the menu, with its text, so that the search has more room. */

export function ThemeButton({ hasText = false }: { hasText?: boolean }) {
  return (
    <Button
      hasText={hasText}
      icon={isDark.value ? 'sun' : 'moon'}
      name={t(isDark.value ? 'lightColors' : 'darkColors')}
      press={toggleTheme}
    />
  );
}

export function SignOutButton({ hasText = false }: { hasText?: boolean }) {
  const name = t('signOut', { name: nameOfUser(session.value!.me) });
  return <Button hasText={hasText} icon="leave" name={name} press={signOut} />;
}

function Button({
  hasText,
  icon,
  name,
  press,
}: {
  hasText: boolean;
  icon: IconName;
  name: string;
  press: () => void;
}) {
  return hasText ? (
    <button type="button" class="quiet" onClick={press}>
      <Icon name={icon} /> {name}
    </button>
  ) : (
    <button type="button" class="bare" aria-label={name} onClick={press}>
      <Icon name={icon} />
    </button>
  );
}
