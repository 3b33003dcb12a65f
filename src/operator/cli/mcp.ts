import { once } from 'node:events';
import type { Command } from 'commander';
import type { Config } from '../../app/config/config.ts';
import { publicUrl } from '../../app/config/setting-values.ts';
import { SETTINGS } from '../../app/config/settings.ts';
import { OperatorError } from '../../common/errors.ts';
import { command, outputOf, type Shell } from './shell.ts';
import { accepted, wholeNumber } from './terminal/arguments.ts';

/** Runs until its input ends, or until SIGTERM or SIGINT. */
export function mcpCommand(shell: Shell): Command {
  const { url, clientId, clientSecret } = SETTINGS;
  return command(shell, 'mcp', 'Serve the catalog to AI agents (MCP)', {
    description:
      'An MCP server for one client of a Stave. It calls the API with the credentials of the client, and offers ' +
      'only what that may use. No tool buys a license.\n\n' +
      'By default it talks to the program that starts it, on standard input and output, and reads from the ' +
      `environment: ${url.name}, ${clientId.name} and ${clientSecret.name}. With --port it serves streamable ` +
      'HTTP on loopback, and each request brings its own credentials: Authorization with Basic ' +
      'CLIENT-ID:SECRET, or with Bearer and an access token. Programs with OAuth get the token themselves: the ' +
      'endpoint names the service that gives it.',
    examples: [
      [
        `${url.name}=https://api.example.com ${clientId.name}=… ${clientSecret.name}=… stave mcp`,
        'for a program that starts MCP servers',
      ],
      ['stave mcp --port 8090', 'on http://127.0.0.1:8090/mcp'],
      ['stave mcp --port 8090 --public-url https://agents.example.com/mcp', 'behind a proxy'],
    ],
  })
    .option(
      '-p, --port <number>',
      'serve streamable HTTP on this port of 127.0.0.1; 0: a free one',
      wholeNumber(0, 65_535),
    )
    .option(
      '--public-url <url>',
      'with --port: the address of the endpoint on the proxy before it',
      accepted(publicUrl),
    )
    .action(async (options: { port?: number; publicUrl?: string; json?: boolean }) => {
      const { mcp } = shell.readConfig();
      if (options.publicUrl !== undefined && options.port === undefined) {
        throw new OperatorError('--public-url needs --port');
      }
      const stop = new AbortController();
      // It speaks plain HTTP, so it has no certificate to read again.
      if (options.port !== undefined) shell.onReload(() => {});
      const forget = shell.onStop(() => stop.abort());
      try {
        if (options.port === undefined) {
          await serveInput(shell, mcp, stop.signal);
          return;
        }
        const { serveHttp } = await import('../../mcp/http.ts');
        const endpoint = await serveHttp({
          url: mcp.url,
          port: options.port,
          publicUrl: options.publicUrl,
          clock: shell.clock,
        });
        outputOf(shell, options).result(
          { address: endpoint.address },
          () => `MCP at ${endpoint.address}, for the clients of ${mcp.url}`,
        );
        if (!stop.signal.aborted) await once(stop.signal, 'abort');
        await endpoint.close();
      } finally {
        forget();
      }
    });
}

async function serveInput(shell: Shell, mcp: Config['mcp'], stop: AbortSignal): Promise<void> {
  const { url, clientId, clientSecret } = mcp;
  if (clientId === null || clientSecret === null) {
    const { clientId: id, clientSecret: secret } = SETTINGS;
    throw new OperatorError(
      `${id.name} and ${secret.name} are needed: the credentials of a client`,
    );
  }
  const { openCaller } = await import('../../mcp/callers.ts');
  const { serveStreams } = await import('../../mcp/stdio.ts');
  const caller = await openCaller(url, { clientId, clientSecret }).catch((error: Error) => {
    throw new OperatorError(`${url}: ${error.message}`, { cause: error });
  });
  await serveStreams(caller, { stdin: shell.stdin, stdout: shell.stdout, stop });
}
