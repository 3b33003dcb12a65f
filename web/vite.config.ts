import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  root: path('./explorer'),
  // Relative addresses, for a proxy that serves Stave under a path.
  base: './',
  resolve: { alias: { '#client': path('../packages/sdk/src/index.ts') } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('./dist'),
    emptyOutDir: true,
    target: 'es2024',
    // The policy of the page allows no data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
