import { readFile } from 'node:fs/promises';
import wabt from 'wabt';

const SOURCE = new URL('../../src/engines/search/sets/bit-kernel.wat', import.meta.url);

/** Returns the text of bit-kernel-bytes.ts: bit-kernel.wat, assembled. */
export async function bitKernelBytes(): Promise<string> {
  const assembler = await wabt();
  const module = assembler.parseWat('bit-kernel.wat', await readFile(SOURCE, 'utf8'), {
    simd: true,
    threads: true,
  });
  const { buffer } = module.toBinary({});
  module.destroy();
  const lines = Buffer.from(buffer)
    .toString('base64')
    .match(/.{1,90}/g)!
    .map((line) => `  '${line}'`);
  return `// Assembled from bit-kernel.wat by \`npm run reference\`; not to be edited.\n\n/** The module's ${buffer.length} bytes in base64. */\nexport const BIT_KERNEL_BYTES =\n${lines.join(' +\n')};\n`;
}
