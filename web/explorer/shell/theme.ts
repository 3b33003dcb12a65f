import { computed, effect, signal } from '@preact/signals';

const system = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(system.matches);
system.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches;
});

/** The choice of the visitor; undefined follows the system. It is kept as long as the page is open. */
const chosen = signal<'light' | 'dark' | undefined>(undefined);

export const isDark = computed(() =>
  chosen.value === undefined ? systemIsDark.value : chosen.value === 'dark',
);

export function toggleTheme(): void {
  chosen.value = isDark.value ? 'light' : 'dark';
}

effect(() => {
  if (chosen.value !== undefined) document.documentElement.dataset.theme = chosen.value;
});
