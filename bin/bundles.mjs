// Names the packages that are loaded from bundles, on any Node from 18.
import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/** What is imported from packages of hundreds of modules each, of which loading one takes half a millisecond. */
export const BUNDLED = ['kysely', 'typebox', 'typebox/compile', 'typebox/format', 'typebox/value'];

/** The version of the exporter. It is a part of the names of these bundles, so that those of another version are not used. */
const TRACES_VERSION = '0.301.0';

/** The packages of development that a release contains as bundles, for `OTEL_EXPORTER_OTLP_ENDPOINT` (docs/adr/0041). */
export const BUNDLED_FOR_TRACES = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
];

/** The folder of the bundles, which scripts/ensure-built.mjs makes. Other versions have another folder. */
export const BUNDLES = new URL(
  `node_modules/.stave/kysely-${dependencies.kysely}-typebox-${dependencies.typebox}/`,
  root,
);

/** Returns the name of a file in that folder. */
export function fileOf(specifier) {
  const version = specifier.startsWith('@opentelemetry/') ? `-${TRACES_VERSION}` : '';
  return `${specifier.replaceAll('/', '-')}${version}.js`;
}

/** Whether all bundles are there. A copy of the checkout may have been interrupted. */
export function hasBundles() {
  return BUNDLED.every((specifier) => existsSync(new URL(fileOf(specifier), BUNDLES)));
}
