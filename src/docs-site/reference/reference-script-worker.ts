import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import { offerToStarter } from '../../common/threads/calls.ts';

offerToStarter({
  // The package serves its bundled script only through its Fastify plugin, so this requests it from a
  // private instance that never listens.
  async load() {
    const app = fastify();
    await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
    const response = await app.inject({ url: '/docs/js/scalar.js' });
    await app.close();
    if (response.statusCode !== 200) {
      throw new Error(`the package of the API reference has no script: ${response.statusCode}`);
    }
    // The package does not contain the source map.
    return Buffer.from(response.body.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  },
});
