import type { Demo } from './load.ts';

/**
 * What `npm start` prints once it serves: where things are, and how to hear a track. On the start
 * that loads the demo, the only one that knows the secrets, with one command ready to be pasted.
 * @param address base of the URLs, without a trailing slash
 * @param demo undefined where the demo is switched off
 * @param streamPath a signed path of the sample track, for a browser; absent: the hint is left out
 */
export function greeting({
  address,
  demo,
  streamPath,
}: {
  address: string;
  demo: Demo | undefined;
  streamPath?: (trackId: string, clientId: string) => string;
}): string {
  const blocks = [`Stave serves at ${address}\nDocumentation: ${address}/docs`];
  if (demo !== undefined && demo.kind !== 'absent') {
    blocks.push(demo.kind === 'new' ? newDemo(address, demo) : loadedDemo(demo));
    if (streamPath !== undefined && demo.clientId !== null) {
      const url = address + streamPath(demo.sampleTrackId, demo.clientId);
      blocks.push(`Or open it in a browser, within 30 minutes:\n  ${url}`);
    }
  }
  blocks.push('Import your own catalog:   npx stave import FILE…   (see npx stave import --help)');
  if (demo !== undefined && demo.kind !== 'absent') {
    blocks.push('Remove the demo:           npx stave demo remove');
  }
  return `${blocks.join('\n\n')}\n`;
}

function newDemo(address: string, demo: Demo & { kind: 'new' }): string {
  return [
    'A demo catalog is loaded. Its client, shown this once (only hashes are kept):',
    `  client id    ${demo.clientId}`,
    `  test secret  ${demo.testSecret}`,
    `  live secret  ${demo.liveSecret}`,
    '',
    `Hear “${demo.sampleName}”: paste this line, then play stave-demo.wav`,
    `  ${playLine(address, demo)}`,
  ].join('\n');
}

function loadedDemo({ clientId }: Demo & { kind: 'loaded' }): string {
  return clientId === null
    ? 'The demo catalog is loaded; its client was deleted. For another one:\n' +
        '  npx stave clients create --name Demo --scopes tracks,search,filters,playlists,analytics'
    : `The demo catalog is loaded; its client is ${clientId}.\n` +
        'Its secrets were shown once. For a new one:\n' +
        `  npx stave clients rotate-secret ${clientId} --mode test`;
}

/**
 * One line for any shell: gets a token, finds the track, and downloads what its `streamUrl` holds.
 * Needs sh, curl and sed alone.
 */
export function playLine(address: string, demo: Demo & { kind: 'new' }): string {
  const member = (name: string) => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;
  const token =
    `curl -fsS ${quoted(`${address}/v1/auth/token`)} -d grant_type=client_credentials ` +
    `-d client_id=${demo.clientId} -d client_secret=${demo.testSecret} | ${member('access_token')}`;
  const search = new URLSearchParams({ search: demo.sampleName, pageSize: '1' });
  const track =
    `curl -fsS ${quoted(`${address}/v1/tracks?${search}`)} ` +
    `-H "Authorization: Bearer $(${token})" | ${member('streamUrl')}`;
  return `curl -fS -o stave-demo.wav "$(${track})"`;
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
