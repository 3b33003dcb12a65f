import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DEPLOY = join(fileURLToPath(import.meta.url), '..', '..', '..', 'deploy');
/** A proxy with its configuration from deploy/; `port` is where it listens. */
export interface Proxy {
  program: string;
  configuration(nodes: readonly number[], port: number, folder: string): string;
  words(path: string): string[];
}

export const PROXIES: readonly [haproxy: Proxy, nginx: Proxy] = [
  {
    program: 'haproxy',
    configuration: (nodes, port) =>
      toNodes('haproxy.cfg', nodes).replace('bind :8080', `bind 127.0.0.1:${port}`),
    words: (path) => ['-db', '-f', path],
  },
  {
    program: 'nginx',
    configuration: (nodes, port, folder) => `
      daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}
      http {
        client_body_temp_path ${folder}; proxy_temp_path ${folder};
        fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
        ${toNodes('nginx.conf', nodes)
          .replace('listen 8080', `listen 127.0.0.1:${port}`)
          .replace('/var/log/nginx', folder)}
      }`,
    words: (path) => ['-c', path],
  },
];

/** Whether the program is installed. Says so if it is not. */
export function isThere({ program }: Proxy): boolean {
  const { status } = spawnSync(program, ['-v']);
  if (status !== 0)
    process.stderr.write(`SKIPPED: nodes behind ${program}, which is not installed.\n`);
  return status === 0;
}

/** Returns a configuration of deploy/ with the addresses of these nodes. */
function toNodes(name: string, nodes: readonly number[]): string {
  return readFileSync(join(DEPLOY, name), 'utf8').replace(
    /\bnode-([12]):8080/g,
    (_, i: string) => `127.0.0.1:${nodes[Number(i) - 1]}`,
  );
}
