/**
 * The limit that Stave is measured against: Fastify as it comes, sending one constant Buffer of the
 * size given as the argument. Prints its port, stops on SIGTERM.
 */
import fastify from 'fastify';

const body = Buffer.alloc(Number(process.argv[2] ?? 20_000), 'x');
const app = fastify();
app.get('/*', (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${new URL(address).port}\n`);
process.on('SIGTERM', () => app.close());
