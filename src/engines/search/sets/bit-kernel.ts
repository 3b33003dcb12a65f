import { BIT_KERNEL_BYTES } from './bit-kernel-bytes.ts';
import { ones } from './bits.ts';
import { type BitMemory, Instance, Module } from './web-assembly.ts';

/**
 * The operations on whole bitsets on which queries of large catalogs spend most of their time. All bitsets of
 * one call have the same length.
 */
export interface BitKernel {
  clear(bits: Uint32Array): void;
  /** Stores the common members of `a` and `b` in `to`, which may be one of the two, and returns their number. */
  intersect(to: Uint32Array, a: Uint32Array, b: Uint32Array): number;
  /** Stores the common members of three bitsets in `to`, and returns their number. */
  intersectThree(to: Uint32Array, a: Uint32Array, b: Uint32Array, c: Uint32Array): number;
  /** Keeps the members of `to` that are in `a`, `b` or `c`, and returns their number. */
  keepAny(to: Uint32Array, a: Uint32Array, b: Uint32Array, c: Uint32Array): number;
  /** The number of common members of the two bitsets. */
  countCommon(a: Uint32Array, b: Uint32Array): number;
}

/** A bit kernel in JavaScript, for bitsets in any memory. */
export const plainKernel: BitKernel = {
  clear(bits) {
    bits.fill(0);
  },
  intersect(to, a, b) {
    let count = 0;
    for (let i = 0; i < to.length; i++) {
      const both = a[i]! & b[i]!;
      to[i] = both;
      if (both !== 0) count += ones(both);
    }
    return count;
  },
  intersectThree(to, a, b, c) {
    this.intersect(to, a, b);
    return this.intersect(to, to, c);
  },
  keepAny(to, a, b, c) {
    let count = 0;
    for (let i = 0; i < to.length; i++) {
      const kept = to[i]! & (a[i]! | b[i]! | c[i]!);
      to[i] = kept;
      if (kept !== 0) count += ones(kept);
    }
    return count;
  },
  countCommon(a, b) {
    let count = 0;
    for (let i = 0; i < a.length; i++) {
      const both = a[i]! & b[i]!;
      if (both !== 0) count += ones(both);
    }
    return count;
  },
};

/** The exports of bit-kernel.wat; addresses and lengths are in bytes. */
interface Exports {
  clear(bits: number, length: number): void;
  intersect(to: number, a: number, b: number, length: number): number;
  intersectThree(to: number, a: number, b: number, c: number, length: number): number;
  keepAny(to: number, a: number, b: number, c: number, length: number): number;
  countCommon(a: number, b: number, length: number): number;
}

let compiled: object | undefined;

/**
 * A bit kernel in WebAssembly, for bitsets that all lie in this memory. It is many times as fast as the plain
 * one.
 */
export function simdKernel(memory: BitMemory): BitKernel {
  compiled ??= new Module(Buffer.from(BIT_KERNEL_BYTES, 'base64'));
  const { exports } = new Instance(compiled, { bits: { memory } });
  const { clear, intersect, intersectThree, keepAny, countCommon } = exports as unknown as Exports;
  return {
    clear: (bits) => clear(bits.byteOffset, bits.byteLength),
    intersect: (to, a, b) => intersect(to.byteOffset, a.byteOffset, b.byteOffset, to.byteLength),
    intersectThree: (to, a, b, c) =>
      intersectThree(to.byteOffset, a.byteOffset, b.byteOffset, c.byteOffset, to.byteLength),
    keepAny: (to, a, b, c) =>
      keepAny(to.byteOffset, a.byteOffset, b.byteOffset, c.byteOffset, to.byteLength),
    countCommon: (a, b) => countCommon(a.byteOffset, b.byteOffset, a.byteLength),
  };
}
