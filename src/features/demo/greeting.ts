import { existsSync } from 'node:fs';
import { FEATURES } from '../../common/caller.ts';
import type { Demo } from './import-demo.ts';
import { SAMPLE } from './state.ts';

/** The command, as an operator calls it: a clone is not in the path, and a release has no `.git`. */
const STAVE = existsSync(new URL('../../../.git', import.meta.url)) ? 'bin/stave' : 'stave';

export interface Greeting {
  text: string;
  /**
   * For scripts: the demo's client, and the line that downloads a track; its client with contract features, and the line
   * that requests a quote. Absent if their secrets are unknown.
   */
  demo?: {
    clientId: string;
    testSecret: string;
    liveSecret: string;
    curl: string;
    contractClient: { clientId: string; testSecret: string; curl: string };
  };
}

/**
 * Returns what `npm start` prints once the service runs: addresses, a command that downloads a track, and one that
 * requests a quote. Only the start that loads the demo knows its secrets; later starts say how to get a new secret.
 *
 * @param address base of the URLs, without a trailing slash
 * @param demo undefined if the demo is switched off
 * @param dataFolder undefined if commands use it without a setting
 */
export function greeting({
  address,
  demo,
  dataFolder,
}: {
  address: string;
  demo: Demo | undefined;
  dataFolder?: string | undefined;
}): Greeting {
  const text = textOf(address, demo, dataFolder);
  if (demo?.kind !== 'new') {
    return { text };
  }
  const { clientId, testSecret, liveSecret, contractClient } = demo;
  return {
    text,
    demo: {
      ...{ clientId, testSecret, liveSecret, curl: playLine(address, demo) },
      contractClient: { ...contractClient, curl: quoteLine(address, contractClient) },
    },
  };
}

function textOf(address: string, demo: Demo | undefined, dataFolder: string | undefined): string {
  const blocks = [`Stave serves at ${address}\nDocumentation: ${address}/docs`];
  if (demo !== undefined && demo.kind !== 'absent') {
    blocks.push(demo.kind === 'new' ? newDemo(address, demo) : loadedDemo(address, demo));
    if (demo.clientId !== null) {
      blocks.push(`Or search and play in a browser, with the same credentials:\n  ${address}/`);
    }
    if (demo.kind === 'new') blocks.push(contractDemo(address, demo));
    else if (demo.contractClientId !== null) {
      blocks.push(loadedContractDemo(address, demo.contractClientId));
    }
  }
  blocks.push(`Import your own catalog:   ${STAVE} import FILE…   (see ${STAVE} import --help)`);
  if (demo !== undefined && demo.kind !== 'absent') {
    blocks.push(`Remove the demo:           ${STAVE} demo remove`);
  }
  if (dataFolder !== undefined) {
    blocks.push(
      `Give these commands the settings of this service: STAVE_DATA=${dataFolder} ${STAVE} …`,
    );
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
    `Hear “${SAMPLE.name}”: paste this line, then play stave-demo.wav`,
    `  ${playLine(address, demo)}`,
  ].join('\n');
}

function loadedDemo(address: string, demo: Demo & { kind: 'loaded' }): string {
  const { clientId, features } = demo;
  if (clientId === null) {
    return (
      'The demo catalog is loaded; its client was deleted. For another one:\n' +
      `  ${STAVE} clients create --name Demo --scopes tracks,search,filters,playlists,analytics`
    );
  }
  return [
    `The demo catalog is loaded; its client is ${clientId}.`,
    'Its secrets were shown once. For a new one:',
    `  ${STAVE} clients rotate-secret ${clientId} --mode test`,
    '',
    ...(features.length === 0
      ? featuresOf(clientId)
      : [`Its contract features: ${features.join(', ')}`, '']),
    `Hear “${SAMPLE.name}”: put the secret into this line, paste it, then play stave-demo.wav`,
    `  ${playLine(address, { clientId, testSecret: SECRET_PLACEHOLDER })}`,
  ].join('\n');
}

/** Says how the client gets contract features: a demo begins as a partner does, without any. */
function featuresOf(clientId: string): string[] {
  return [
    'Its contract features are off until you switch them on:',
    `  ${STAVE} clients update ${clientId} --enable-features all`,
    '',
  ];
}

function contractDemo(address: string, { contractClient }: Demo & { kind: 'new' }): string {
  return [
    'A second client has every contract feature, in test mode:',
    `  client id    ${contractClient.clientId}`,
    `  test secret  ${contractClient.testSecret}`,
    `  features     ${FEATURES.join(', ')}`,
    '',
    `Quote “${SAMPLE.name}” for a German website (demo prices, only test licenses): paste this line`,
    `  ${quoteLine(address, contractClient)}`,
  ].join('\n');
}

function loadedContractDemo(address: string, clientId: string): string {
  return [
    `A second client has every contract feature, in test mode: ${clientId}.`,
    'For a new secret, and a quote with it:',
    `  ${STAVE} clients rotate-secret ${clientId} --mode test`,
    `  ${quoteLine(address, { clientId, testSecret: SECRET_PLACEHOLDER })}`,
  ].join('\n');
}

const SECRET_PLACEHOLDER = 'stave_test_…';

/** Returns one line for any shell that downloads the track. It requires only sh, curl and sed. */
export function playLine(address: string, demo: { clientId: string; testSecret: string }): string {
  const search = new URLSearchParams({ search: SAMPLE.name, pageSize: '1' });
  const track =
    `curl -fsS ${quoted(`${address}/v1/tracks?${search}`)} ` +
    `-H "Authorization: Bearer $(${tokenLine(address, demo)})" | ${member('streamUrl')}`;
  return `curl -fS -o stave-demo.wav "$(${track})"`;
}

/** Returns one line for any shell: it gets a token, and requests a quote of the track that the greeting names. */
export function quoteLine(
  address: string,
  client: { clientId: string; testSecret: string },
): string {
  const request = {
    tracks: [SAMPLE.slug],
    media: ['online'],
    territories: ['DE'],
    term: 'P1Y',
    project: { name: 'Demo' },
  };
  return (
    `curl -sS ${quoted(`${address}/v1/quotes`)} -H 'Content-Type: application/json' ` +
    `-H "Authorization: Bearer $(${tokenLine(address, client)})" -d ${quoted(JSON.stringify(request))}`
  );
}

function tokenLine(
  address: string,
  { clientId, testSecret }: { clientId: string; testSecret: string },
): string {
  return (
    `curl -fsS ${quoted(`${address}/v1/auth/token`)} -d grant_type=client_credentials ` +
    `-d client_id=${clientId} -d client_secret=${testSecret} | ${member('access_token')}`
  );
}

/** Returns the command that prints a member of JSON, which must be a string. */
function member(name: string): string {
  return `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
