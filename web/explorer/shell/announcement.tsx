import { signal } from '@preact/signals';

const text = signal('');

/** Tells users of screen readers what an action has done, where the page shows it in another way. */
export function announce(message: string): void {
  // The same text is told again only if it changes.
  text.value = message === text.peek() ? `${message}\u00a0` : message;
}

/** Stays on the page, because only changes of what is there are told. */
export function Announcement() {
  return (
    <p class="hidden" role="status">
      {text.value}
    </p>
  );
}
