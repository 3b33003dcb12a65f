import { signal } from '@preact/signals';

/** The most bytes that the API takes. */
const MAX_BYTES = 20 * 1024 * 1024;

/** The audio file to whose sound tracks are compared. It is in the memory of the page only. */
export const example = signal<File | undefined>(undefined);

/** Whether the API would refuse a file for its size, perhaps before all of it is sent. */
export function isTooLarge(file: File): boolean {
  return file.size > MAX_BYTES;
}
