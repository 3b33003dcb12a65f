/** A memory that the kernel works on, and that threads share. */
export interface BitMemory {
  /** As long as the memory was when this was last read. */
  readonly buffer: SharedArrayBuffer;
  /** Makes it longer by so many pages, all zeros; where they begin, in pages. Throws where there is no more. */
  grow(pages: number): number;
}

/** What is used of the language's WebAssembly, whose types come with browsers only. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { bits: { memory: BitMemory } }) => { exports: object };
  Memory: new (pages: { initial: number; maximum: number; shared: true }) => BitMemory;
}

/** Module, Instance and Memory as every engine has them. */
export const { Module, Instance, Memory } = (
  globalThis as unknown as { WebAssembly: WebAssemblyApi }
).WebAssembly;
