import { effect, signal, untracked } from '@preact/signals';
import type { Track } from '#client';
import { announce } from '../shell/announcement.tsx';
import { keep, kept } from '../shell/kept.ts';
import { session } from '../shell/session.ts';
import { t } from '../texts/texts.ts';

/** A track that may be bought: its slug, and its name for messages. */
export type Bought = Pick<Track, 'slug' | 'name'>;

/** The most tracks of a quote. */
export const MAX_BOUGHT = 100;

/** The tracks that the visitor has put aside to license them together. The browser keeps them for each client. */
export const cart = signal<readonly Bought[]>([]);

const place = () => `cart.${session.value?.me.clientId}.${session.value?.me.mode}`;

effect(() => {
  const text = session.value === undefined ? undefined : kept(place());
  untracked(() => {
    cart.value = text === undefined ? [] : tracksIn(text);
  });
});

/** The tracks that a browser has kept, which anything may have changed. */
function tracksIn(text: string): Bought[] {
  try {
    const tracks: unknown = JSON.parse(text);
    if (!Array.isArray(tracks)) return [];
    return tracks
      .filter((one) => typeof one?.slug === 'string' && typeof one.name === 'string')
      .slice(0, MAX_BOUGHT);
  } catch {
    return [];
  }
}

export function isInCart(slug: string): boolean {
  return cart.value.some((one) => one.slug === slug);
}

/** Puts a track into the cart, or takes it out. */
export function toggleInCart({ slug, name }: Bought): void {
  const isThere = isInCart(slug);
  if (!isThere && cart.value.length >= MAX_BOUGHT) {
    announce(t('cartFull', { n: MAX_BOUGHT }));
    return;
  }
  setCart(
    isThere ? cart.value.filter((one) => one.slug !== slug) : [...cart.value, { slug, name }],
  );
  announce(t(isThere ? 'outOfCart' : 'intoCart', { name }));
}

export function setCart(tracks: readonly Bought[]): void {
  cart.value = tracks;
  keep(place(), JSON.stringify(tracks));
}
