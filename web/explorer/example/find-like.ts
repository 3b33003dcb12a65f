import { batch } from '@preact/signals';
import { go, viewOf } from '../browse/location.ts';
import { example } from './example.ts';

/** Compares the tracks to a file, and shows them. */
export function findLike(file: File): void {
  batch(() => {
    example.value = file;
    go(viewOf({ list: 'by-audio' }));
  });
}
