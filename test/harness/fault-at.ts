import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What happens at a step: the process is killed, or the disk is full. */
export type Fault = 'kill' | 'full';

/**
 * The environment of a process that fails before a step beneath a folder. A step renames or removes a file; a
 * full disk refuses new names.
 */
export function faultAt(step: number, fault: Fault, beneath: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${fileURLToPath(import.meta.url)}`,
    FAULT_AT: JSON.stringify({ step, fault, beneath }),
  };
}

const { FAULT_AT } = process.env;
if (FAULT_AT !== undefined) {
  const { step, fault, beneath } = JSON.parse(FAULT_AT);
  let steps = 0;
  // biome-ignore lint/suspicious/noExplicitAny: the functions have different types
  const functions = fs as any;
  for (const name of ['rename', 'rm']) {
    const original = functions[name];
    functions[name] = async (path: unknown, ...rest: unknown[]) => {
      const isStep = name === 'rename' || (fault === 'kill' && !`${path}`.includes('incoming'));
      if (isStep && `${path}`.startsWith(beneath) && ++steps === step) {
        if (fault === 'kill') process.kill(process.pid, 'SIGKILL');
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      }
      return original(path, ...rest);
    };
  }
  syncBuiltinESMExports();
}
