#!/usr/bin/env node
// Starts main.ts. Prints one line that says what to do where Node is too old or packages are missing.
import './check-node.mjs';

await import('./load-fast.mjs');

try {
  await import('../src/main.ts');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.startsWith('Cannot find package')) {
    throw error;
  }
  process.stderr.write('stave: the packages are not installed; run `npm ci` in the checkout\n');
  process.exitCode = 1;
}
