import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastify from 'fastify';

/** The script of the reference page as it is sent: 4 MB plain, about 1.3 MB compressed. */
export interface ReferenceScript {
  plain: Buffer;
  gzipped: Buffer;
}

/**
 * Scalar's bundled script out of its package. The package hands it out only through its Fastify
 * plugin, so a private instance, which never listens, is asked for it. Loaded on first use, for it
 * costs 100 ms and more and many nodes never show their documentation.
 */
export async function loadReferenceScript(): Promise<ReferenceScript> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const response = await app.inject({ url: '/docs/js/scalar.js' });
  await app.close();
  if (response.statusCode !== 200) {
    throw new Error(`the package of the API reference has no script: ${response.statusCode}`);
  }
  // Its source map is not in the package.
  const plain = Buffer.from(response.body.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  return { plain, gzipped: await promisify(gzip)(plain) };
}
