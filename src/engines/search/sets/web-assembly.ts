/** A memory for the bit kernel, which threads share. */
export interface BitMemory {
  /** The bytes of the memory. The buffer has the length that the memory had when the property was read. */
  readonly buffer: SharedArrayBuffer;
  /** Adds pages of zeros, and returns where they begin, in pages. Throws if the memory cannot grow. */
  grow(pages: number): number;
}

/** The part of the WebAssembly API that is used here. Its types are only in the DOM library. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { bits: { memory: BitMemory } }) => { exports: object };
  Memory: new (pages: { initial: number; maximum: number; shared: true }) => BitMemory;
}

/** Module, Instance and Memory of the engine. */
export const { Module, Instance, Memory } = (
  globalThis as unknown as { WebAssembly: WebAssemblyApi }
).WebAssembly;
