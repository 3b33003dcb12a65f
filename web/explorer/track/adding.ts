import { signal } from '@preact/signals';
import type { Track } from '#client';

/** The track that the visitor adds to a collection or the cart, in the dialog that asks which. */
export const adding = signal<Pick<Track, 'slug' | 'name'> | undefined>(undefined);

export function addTrack({ slug, name }: Pick<Track, 'slug' | 'name'>): void {
  adding.value = { slug, name };
}
