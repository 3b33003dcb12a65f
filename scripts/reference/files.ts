import { bitKernelBytes } from './bit-kernel.ts';
import { commandLinePage } from './command-line.ts';
import { configurationPage, environmentExample } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { formatted } from './formatted.ts';
import { openApiDocument } from './openapi.ts';
import { sdkOperations, sdkTypes } from './sdk.ts';

const OPERATIONS = 'packages/sdk/src/generated/operations.ts';
const TYPES = 'packages/sdk/src/generated/types.ts';

/** Returns every generated file of the repository: its path and its required text. */
export async function referenceFiles(): Promise<Map<string, string>> {
  const openApi = await openApiDocument();
  return new Map([
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/configuration.md', configurationPage()],
    ['docs/reference/cli.md', await commandLinePage()],
    ['docs/reference/openapi.json', openApi],
    [OPERATIONS, formatted(OPERATIONS, sdkOperations(openApi))],
    [TYPES, formatted(TYPES, sdkTypes(openApi))],
    ['.env.example', environmentExample()],
    ['src/engines/search/sets/bit-kernel-bytes.ts', await bitKernelBytes()],
  ]);
}
