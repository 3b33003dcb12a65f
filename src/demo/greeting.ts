import type { Demo } from './import-demo.ts';

/** What a start prints. */
export interface Greeting {
  /** For people. */
  text: string;
  /** For scripts: the demo's client, and the line that downloads a track. Absent if its secrets are unknown. */
  demo?: { clientId: string; testSecret: string; liveSecret: string; curl: string };
}

/**
 * Returns what `npm start` prints once the service runs: addresses, and a command that downloads a
 * track. Only the start that loads the demo knows its secrets; later starts say how to get a new
 * secret.
 *
 * @param address base of the URLs, without a trailing slash
 * @param demo undefined if the demo is switched off
 */
export function greeting({ address, demo }: { address: string; demo: Demo | undefined }): Greeting {
  const text = textOf(address, demo);
  if (demo?.kind !== 'new') {
    return { text };
  }
  const { clientId, testSecret, liveSecret } = demo;
  return { text, demo: { clientId, testSecret, liveSecret, curl: playLine(address, demo) } };
}

function textOf(address: string, demo: Demo | undefined): string {
  const blocks = [`Stave serves at ${address}\nDocumentation: ${address}/docs`];
  if (demo !== undefined && demo.kind !== 'absent') {
    blocks.push(demo.kind === 'new' ? newDemo(address, demo) : loadedDemo(address, demo));
    if (demo.clientId !== null) {
      blocks.push(`Or play it in a browser:\n  ${address}/`);
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
    ...featuresOf(demo.clientId),
    `Hear “${demo.sampleName}”: paste this line, then play stave-demo.wav`,
    `  ${playLine(address, demo)}`,
  ].join('\n');
}

function loadedDemo(address: string, demo: Demo & { kind: 'loaded' }): string {
  const { clientId, sampleName } = demo;
  if (clientId === null) {
    return (
      'The demo catalog is loaded; its client was deleted. For another one:\n' +
      '  npx stave clients create --name Demo --scopes tracks,search,filters,playlists,analytics'
    );
  }
  return [
    `The demo catalog is loaded; its client is ${clientId}.`,
    'Its secrets were shown once. For a new one:',
    `  npx stave clients rotate-secret ${clientId} --mode test`,
    '',
    ...featuresOf(clientId),
    `Hear “${sampleName}”: put the secret into this line, paste it, then play stave-demo.wav`,
    `  ${playLine(address, { clientId, testSecret: SECRET_PLACEHOLDER, sampleName })}`,
  ].join('\n');
}

/** Says how the client gets contract features: a demo begins as a partner does, without any. */
function featuresOf(clientId: string): string[] {
  return [
    'Its contract features are off until you switch them on:',
    `  npx stave clients update ${clientId} --enable-features all`,
    '',
  ];
}

/** Stands for a secret that this start does not know. */
const SECRET_PLACEHOLDER = 'stave_test_…';

/**
 * Returns one line for any shell: it gets a token, finds the track, and downloads its `streamUrl`.
 * Requires only sh, curl and sed.
 */
export function playLine(
  address: string,
  demo: { clientId: string; testSecret: string; sampleName: string },
): string {
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

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
