/**
 * The strict comparison: Fastify without hooks, which sends one constant Buffer. Job: `{"sizeBytes"}` as the
 * argument. Prints `{"port"}`, and stops on SIGTERM.
 */
import fastify from 'fastify';

const { sizeBytes } = JSON.parse(process.argv[2]!) as { sizeBytes: number };
const body = Buffer.alloc(sizeBytes, 'x');
const app = fastify();
app.get('/*', (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ port: Number(new URL(address).port) })}\n`);
process.on('SIGTERM', () => app.close());
