import { bitKernelBytes } from './bit-kernel.ts';
import { commandLinePage } from './command-line.ts';
import { configurationPage, environmentExample } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { openApiDocument } from './openapi.ts';

/** Returns every generated file of the repository: its path and its required text. */
export async function referenceFiles(): Promise<Map<string, string>> {
  return new Map([
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/configuration.md', configurationPage()],
    ['docs/reference/cli.md', commandLinePage()],
    ['docs/reference/openapi.json', await openApiDocument()],
    ['.env.example', environmentExample()],
    ['src/search/bit-kernel-bytes.ts', await bitKernelBytes()],
  ]);
}
