import { readFileSync } from 'node:fs';

const HEADERS = { 'Cache-Control': 'no-cache' };

/** A file that pages load. */
export interface Asset {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Reads the style and the script of the pages. By path. */
export function readAssets(): ReadonlyMap<string, Asset> {
  const asset = (name: string, type: string): [string, Asset] => [
    `/assets/${name}`,
    {
      headers: { ...HEADERS, 'Content-Type': type },
      body: readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8'),
    },
  ];
  return new Map([
    asset('console.css', 'text/css; charset=utf-8'),
    asset('console.js', 'text/javascript; charset=utf-8'),
    asset('icon.svg', 'image/svg+xml'),
  ]);
}
