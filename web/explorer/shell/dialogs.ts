import { signal } from '@preact/signals';

/** What covers the page for a moment, and is no state of the browsing. */
export const isHelpOpen = signal(false);

/** Whether the lists and filters cover the page, which they only do on narrow screens. */
export const isSidebarOpen = signal(false);

/** Whether keys of one letter or sign do something. Escape, Enter, Tab and the arrows always do. */
export const areKeysOn = signal(true);
