/** A memory that the kernel works on, and that threads share. */
export interface BitMemory {
  readonly buffer: SharedArrayBuffer;
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
