import type { Column } from './columns.ts';

/** Copies plain data with all its arrays of numbers into shared memory. */
export function inSharedMemory<T extends object>(data: T): T {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      ArrayBuffer.isView(value)
        ? sharedCopy(value as Column)
        : Array.isArray(value)
          ? value
          : inSharedMemory(value),
    ]),
  ) as T;
}

function sharedCopy(column: Column): Column {
  const make = column.constructor as new (buffer: SharedArrayBuffer) => Column;
  const copy = new make(new SharedArrayBuffer(column.byteLength));
  copy.set(column);
  return copy;
}
