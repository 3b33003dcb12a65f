import { writeFileSync } from 'node:fs';
import { newId } from '../../src/common/ids.ts';
import { ern43 } from '../../src/features/import/ddex/ern.test-support.ts';
import { wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { waveformDat } from '../../src/features/renditions/rendition-files.ts';
import {
  recipeOf,
  streamFile,
  streamName,
} from '../../src/features/renditions/streams/stream-name.ts';
import { beat } from '../harness/beat.ts';
import {
  type Json,
  openStoreOf,
  serve,
  stave,
  staveJson,
  type TemporaryFolder,
} from '../harness/cli.ts';
import { mp3, waveformOf } from '../harness/clips.ts';
import { ndjson, PNG, record } from '../harness/import-bench.ts';
import { LICENSEE, quoteBody } from '../harness/licensing.ts';
import { publishCardFile } from '../harness/published-card.ts';
import { until } from '../harness/until.ts';
import { wav } from '../harness/wav.ts';
import type { Receiver } from '../harness/webhook-receiver.ts';
import { Caller } from './caller.ts';

/** The settings of the service whose data are moved. Its URLs do not depend on its port. */
export const SERVICE = {
  STAVE_PUBLIC_URL: 'https://music.example.com',
  STAVE_WEBHOOK_TARGETS: 'any',
};

const SCOPES = 'tracks,search,filters,playlists,analytics';
const WRITERS = [
  { name: 'Mara Lindt', role: 'MAIN_ARTIST', isPrimary: true, externalId: 'ml' },
  { name: 'Mara Lindt', role: 'COMPOSER', ipi: '00014107338', society: 'GEMA', sharePercent: 100 },
  { name: 'Night Music', role: 'PUBLISHER', sharePercent: 100 },
];

/** A track with every member that an import takes. */
const WHOLE = {
  isrc: 'QZES72400137',
  iswc: 'T-034.524.680-1',
  bpm: 92,
  songKey: ['A minor'],
  timeSignature: '4/4',
  releaseDate: '2011-08-02',
  tags: ['piano'],
  artists: WRITERS,
  filters: ['genre:Ambient', 'mood:Calm'],
  audio: 'song.wav',
  artwork: 'cover.png',
  preview: 'clip.mp3',
  previewStartSeconds: 1,
  waveform: 'waveform.dat',
  // The first file is missing, so that the second part has a place of its own.
  stems: ['missing.wav', 'drums.wav'].map((audio) => ({ kind: 'drums', name: 'Kit', audio })),
  versions: [{ kind: 'cutdown', audio: 'short.wav' }],
  language: 'en',
  translations: { de: { name: 'Nachtfähre', tags: ['Klavier'] } },
  availability: [{ excludedTerritories: ['US'], from: '2020-01-01', until: '2100-01-01' }],
  ai: 'assisted',
  aiParts: ['mastering'],
  trainingAllowed: false,
  provenanceStatement: 'Mixed with a tool that removes noise.',
};
const BARE = {
  audio: null,
  artists: [],
  stems: [],
  versions: [],
  translations: {},
  language: 'fr',
  availability: [],
  filters: ['genre:Rock'],
};

/** The events of which there is a message. */
const EVENTS = [
  'track.created',
  'track.taken_down',
  'collection.updated',
  'saved_search.matched',
  'license.issued',
  'license.revoked',
];

/** A partner with all features, and what it has made. */
export interface Partner {
  clientId: string;
  testSecret: string;
  liveSecret: string;
  mate: { clientId: string; testSecret: string; liveSecret: string };
  collection: string;
  /** The id of a link to it. */
  link: string;
  savedSearch: string;
  /** Its license in force, as `createLicense` shows it. */
  license: Json;
  quote: string;
  webhook: string;
  /** The secret of the webhook. */
  secret: string;
  /** The feed up to here. */
  cursor: string;
  /** A token from before the move. */
  token: string;
  /** A request with an `Idempotency-Key`, and its response. */
  keyed: { key: string; body: object; answer: Json };
}

/** Fills every table of a data folder by commands and requests, as operators and partners do. */
export async function fillEveryTable(
  folder: TemporaryFolder,
  data: string,
  receiver: Receiver,
): Promise<Partner> {
  const command = (...args: string[]) => staveJson(data, args);
  await importTracks(folder, command);
  // One file gives a track its tempo, and one fails.
  await command('sound', 'build');
  const create = (name: string, ...more: string[]) =>
    command('clients', 'create', '-n', name, '-s', SCOPES, '-f', 'all', '--account', 'G', ...more);
  const limit = ['--spending-limit', '1000000'];
  const games = ['--rate-card', 'games', '--allow-missing'];
  const client = await create('Acme', '--rate-limit', '100000', ...limit, ...games);
  const mate = await create('Mate');
  const secret = await command('clients', 'rotate-secret', client.clientId, '--mode', 'live');
  await command('clients', 'revoke-secret', client.clientId, secret.secretId);
  const seat = await command('seats', 'create', client.clientId, 'Ana', '--role', 'buyer');
  for (const minimumMinor of [10, 5]) {
    await publishCardFile(data, folder, { name: 'games', minimumMinor });
  }
  await command('rate-cards', 'withdraw', 'games@2');
  await addLists(folder, command, client.clientId);
  await using service = await serve(data, SERVICE);
  const live = await Caller.login(service.url, client.clientId, client.liveSecret);
  await signIn(service.url, { url: seat.url, client });
  // A link that nobody uses.
  await command('seats', 'link', seat.id);
  const test = await Caller.login(service.url, client.clientId, client.testSecret);
  const made = await useEveryFeature(live, mate.clientId, receiver);
  await useEveryFeature(test, mate.clientId, receiver);
  await service.get('/v1/tracks?page=none', live.token);
  await command('licenses', 'revoke', made.revoked, '--reason', 'not paid');
  const why = ['--reason', 'claim of the author', '--reference', '2026-118'];
  await command('tracks', 'takedown', 'track-5', '--also-licensed', ...why);
  await command('webhooks', 'disable', made.disabled);
  await command('tracks', 'edit', 'track-2', '--name', 'Edited');
  writeFileSync(folder.at('new.ndjson'), ndjson(record('9', { filters: ['mood:Calm'] })));
  await command('import', folder.at('new.ndjson'));
  await untilSent(live, made);
  const { nextCursor } = await live.read('/v1/tracks/changes?since=2020-01-01T00:00:00Z&limit=500');
  // The service makes previews, too, because the client has the feature.
  await command('previews', 'build');
  await service.stop();
  await keepStream(data);
  await addOperators(data, command);
  await command('keys', 'rotate');
  await command('keys', 'rotate', '--licenses');
  return { ...client, ...made, mate, cursor: nextCursor, token: live.token };
}

/** Stores what a node that makes an MP3 of a track stores. */
async function keepStream(data: string): Promise<void> {
  const source = { audioKey: `${'a'.repeat(64)}.ogg`, sampleRate: 44_100, samples: 44_100 };
  const name = streamName(source.audioKey, recipeOf(source, { format: 'mp3', kbps: 192 }));
  const store = await openStoreOf(data);
  try {
    await store.streams.keep(name, { mediaKey: streamFile(name), sizeBytes: 9 });
  } finally {
    await store.close();
  }
}

/** Adds two operators: one with a link, and one with a password, who has logged in. */
async function addOperators(data: string, command: Command): Promise<void> {
  await command('operators', 'add', 'anna', '--role', 'viewer');
  await stave(data, ['console', 'password', '--stdin'], { stdin: 'correct horse battery' });
  const store = await openStoreOf(data);
  await store.operators.logLogin('console', 'logged_in');
  await store.close();
}

/** Waits until each webhook has had its attempts, and replays a message. */
async function untilSent(partner: Caller, { webhook, failing }: Pick<Made, 'webhook' | 'failing'>) {
  const path = `/v1/webhooks/${webhook}/deliveries`;
  const all = async () => (await partner.read(`${path}?pageSize=100`)).items;
  const isSent = async () => {
    const types = (await all()).map(({ status, type }: Json) => status === 'delivered' && type);
    return EVENTS.every((type) => types.includes(type));
  };
  await until(isSent, 'the messages');
  const [{ id }] = await all();
  await partner.write('POST', `${path}/${id}/replay`, {});
  await until(async () => (await all()).every(({ status }: Json) => status === 'delivered'));
  const failed = `/v1/webhooks/${failing}/deliveries`;
  await until(async () => (await partner.read(failed)).items[0]?.attemptCount > 0, 'an attempt');
}

type Made = Awaited<ReturnType<typeof useEveryFeature>>;
type Command = (...args: string[]) => Promise<Json>;

/** Imports two tracks with all members, and others; then changes one of the two, and undoes another import. */
async function importTracks(folder: TemporaryFolder, command: Command): Promise<void> {
  for (const [name, bytes] of Object.entries({
    'song.wav': wav(),
    'drums.wav': wav(16_000),
    'beat.wav': beat(120),
    'silence.wav': wavFile([new Float32Array(8_000)]),
    'short.wav': wav(4_000),
    'clip.mp3': await mp3(1),
    'waveform.dat': waveformDat(waveformOf(1)),
    'cover.png': PNG,
  })) {
    writeFileSync(folder.at(name), bytes);
  }
  const deliver = async (...records: readonly unknown[]) => {
    writeFileSync(folder.at('tracks.ndjson'), ndjson(...records));
    return command('import', folder.at('tracks.ndjson'));
  };
  const others = [3, 4, 5, 6, 7].map((n) => record(`${n}`, { filters: ['mood:Calm'] }));
  others[0]!.audio = 'short.wav';
  others[1]!.audio = 'beat.wav';
  others[2]!.audio = 'silence.wav';
  await deliver(record('1', WHOLE), record('2', WHOLE), ...others);
  await deliver(record('2', BARE));
  await deliver(record('8', { name: 'Track 7' }));
  const [batch] = await command('import', 'list');
  await command('import', 'undo', batch.id);
  writeFileSync(folder.at('message.xml'), ern43());
  await command('import', folder.at('message.xml'));
}

async function addLists(
  folder: TemporaryFolder,
  command: Command,
  clientId: string,
): Promise<void> {
  await command('playlists', 'create', '-n', 'Best', '-d', 'of all', '-t', 'track-1,track-5');
  await command('playlists', 'grant', 'best', '-c', clientId);
  const inGerman = ['-l', 'de', '-n', 'Beste', '-d', 'von allen'];
  await command('playlists', 'translate', 'best', ...inGerman);
  writeFileSync(
    folder.at('names.ndjson'),
    ndjson({ filter: 'calm', language: 'de', name: 'Ruhig' }),
  );
  await command('filters', 'translate', folder.at('names.ndjson'));
  writeFileSync(folder.at('synonyms.csv'), 'term,names\nmellow,calm,piano\n');
  await command('brief', 'synonyms', 'import', folder.at('synonyms.csv'));
  const defaults = ['--training', 'no', '--ai', 'none'];
  await command('tracks', 'provenance', '--source', 'label-b', ...defaults);
  writeFileSync(
    folder.at('sold.ndjson'),
    ndjson({
      externalId: 'elsewhere',
      ...{ track: 'track-1', mode: 'live', licensedAt: '2026-11-01T00:00:00Z', client: clientId },
    }),
  );
  await command('licenses', 'import', folder.at('sold.ndjson'));
}

/** Signs in by a secret and by a link, and makes a collection with a note. */
async function signIn(
  base: string,
  { url, client }: { url: string; client: { clientId: string; liveSecret: string } },
) {
  const send = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  await send('/session', {}, { client_id: client.clientId, client_secret: client.liveSecret });
  const signedIn = await send('/session', {}, { token: new URL(url).hash.slice(1) });
  const Cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  const { data } = (await (await send('/session/token', { Cookie })).json()) as Json;
  const headers = { Authorization: `Bearer ${data.access_token}` };
  const items = [{ track: 'track-1', note: 'from Ana' }];
  const answer = await send('/v1/collections', headers, { name: 'Of Ana' });
  const made = (await answer.json()) as Json;
  await send(`/v1/collections/${made.data.id}/items`, headers, { items });
}

/** Makes a link to a collection, and a guest who opens it. */
async function useLink(partner: Caller, collection: string, trackId: string) {
  const request = { label: 'For the agency', password: 'spring 2027' };
  const link = await partner.write('POST', `/v1/collections/${collection}/links`, request);
  const shared = `/v1/shared/${link.url.split('/').at(-1)}`;
  const { headers } = await partner.send('POST', `${shared}/unlock`, {
    body: { password: 'spring 2027' },
  });
  const Cookie = headers.get('set-cookie')!.split(';')[0]!;
  const guest = { guest: '7pXqTz0aB3dE6gH9jK2mN5', name: 'Ana' };
  await partner.read(shared, { Cookie });
  const vote = { ...guest, vote: 'approve' };
  await partner.write('PUT', `${shared}/votes/${trackId}`, vote, { Cookie });
  const comment = { ...guest, trackId, text: 'Could work' };
  await partner.write('POST', `${shared}/comments`, comment, { Cookie });
  return link.id as string;
}

/** Makes something with every feature that stores something. */
async function useEveryFeature(partner: Caller, mateId: string, receiver: Receiver) {
  const { id: trackId } = await partner.read('/v1/tracks/track-1');
  const hook = { url: receiver.url, description: 'Catalog' };
  const register = (more: object) => partner.write('POST', '/v1/webhooks', { ...hook, ...more });
  const webhook = await register({ eventTypes: EVENTS, authorization: 'Bearer sesame' });
  const failing = await register({ url: 'http://127.0.0.1:9/', eventTypes: ['license.issued'] });
  const disabled = await register({ eventTypes: ['track.created'], referencedOnly: true });
  await partner.write('POST', `/v1/webhooks/${webhook.id}/rotate-secret`, {});
  const rotated = await partner.write('POST', `/v1/webhooks/${webhook.id}/rotate-secret`, {});
  const items = [{ track: 'track-1', note: 'first' }, { track: 'track-5' }, { track: 'track-3' }];
  const texts = { name: 'Spring', description: 'for the campaign' };
  const collection = await partner.write('POST', '/v1/collections', texts);
  await partner.write('POST', `/v1/collections/${collection.id}/items`, { items });
  await partner.write('PUT', `/v1/collections/${collection.id}/shares/${mateId}`, {});
  const link = await useLink(partner, collection.id, trackId);
  const search = { name: 'Calm', search: { filterSlugs: ['calm'] }, notify: true };
  const savedSearch = await partner.write('POST', '/v1/saved-searches', search);
  const sell = async (body: object) => {
    const { id: quoteId, termsVersion } = await partner.write('POST', '/v1/quotes', body);
    const request = { quoteId, termsVersion, licensee: LICENSEE };
    return partner.write('POST', '/v1/licenses', request);
  };
  const project = { name: 'Spring ad', productionId: 'spring-ad' };
  const license = await sell(quoteBody({ tracks: ['track-1', 'track-5'], project }));
  const lasting = { term: 'PERPETUAL', media: ['broadcast'], exclusive: true };
  const revoked = await sell(quoteBody({ tracks: ['track-3'], ...lasting }));
  const body = quoteBody({ tracks: ['track-4'] });
  const key = newId();
  const answer = await partner.write('POST', '/v1/quotes', body, { 'Idempotency-Key': key });
  await partner.write('POST', '/v1/usage', { events: usageOf(trackId, license.number) });
  const downloads = `/v1/licenses/${license.number}/downloads`;
  const { items: files } = await partner.write('POST', downloads, { tracks: ['track-1'] });
  await partner.send('GET', files[0].url);
  return {
    webhook: webhook.id,
    secret: rotated.secret,
    failing: failing.id,
    disabled: disabled.id,
    collection: collection.id,
    link,
    savedSearch: savedSearch.id,
    license,
    revoked: revoked.number,
    quote: answer.id,
    keyed: { key, body, answer },
  };
}

function usageOf(trackId: string, licenseNumber: string) {
  const event = { trackId, occurredAt: new Date(Date.now() - 60_000).toISOString(), country: 'DE' };
  return [
    {
      ...{ ...event, eventId: 'e-1', type: 'stream', seconds: 42, userId: 'u-17' },
      ...{ playlistId: trackId, endReason: 'naturalEnd', offline: true },
    },
    { ...event, eventId: 'e-2', type: 'download', licenseNumber },
    {
      ...{ ...event, eventId: 'e-3', type: 'sync', seconds: 31 },
      production: { id: 'ep-7', title: 'Harbour Lights', country: 'DE', airDate: '2026-11-20' },
      cue: { startSeconds: 62, usage: 'BI', number: 1 },
    },
  ];
}
