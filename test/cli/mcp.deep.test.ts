import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { MAIN } from '../harness/cli.ts';
import { BY } from '../harness/deliveries.ts';
import { publishCard } from '../harness/licensing.ts';
import { connect, type McpClient, mcpEnvironment, stdioTransport } from '../harness/mcp.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const ALL_TOOLS = [
  'search_tracks',
  'similar_tracks',
  'get_track',
  'list_filters',
  'list_playlists',
  'get_playlist',
  'get_rate_card',
  'create_quote',
];

let server: TestServer;
let client: TestClient;
let mcp: McpClient;
let playlist: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(30) });
  client = await server.createClient({ features: ['similar', 'licensing'] });
  await publishCard(server.operator.store);
  const { playlists } = server.operator.store;
  const now = server.clock.now();
  const calm = { id: newId(), name: 'Calm', description: '', createdAt: now, updatedAt: now };
  const { id, slug } = await playlists.create(calm, [delivery(1).id, delivery(2).id], BY);
  await playlists.grant(id, client.clientId, BY);
  playlist = slug;
  await server.until(async () => {
    const options = { token: await client.token(), params: { idOrSlug: slug } };
    return (await server.call('showPlaylist', options)).status === 200;
  });
  mcp = await connect(stdioTransport(server.address, client));
});
afterAll(async () => {
  await mcp?.[Symbol.asyncDispose]();
  await server?.close();
});

const toolsOf = async ({ client: connected }: McpClient) =>
  (await connected.listTools()).tools.map(({ name }) => name);

describe('stave mcp on standard input and output', () => {
  it('offers the tools that the client may use, each with a description of every input', async () => {
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(ALL_TOOLS);
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect(description, name).toMatch(/\.$/);
      expect(inputSchema.additionalProperties, name).toBe(false);
      // The client checks every result of the tests below against it.
      expect(outputSchema?.type, name).toBe('object');
      for (const [member, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect(schema, `${name}.${member}`).toHaveProperty('description');
      }
      expect(annotations?.readOnlyHint).toBe(name !== 'create_quote');
    }
    expect(mcp.client.getInstructions()).toContain('in test mode');
  });

  it('offers nothing else to a client with fewer scopes', async () => {
    const fewer = await server.createClient({ scopes: ['search'] });
    await using other = await connect(stdioTransport(server.address, fewer));
    expect(await toolsOf(other)).toEqual(['search_tracks']);
    await expect(other.call('create_quote')).rejects.toThrow('create_quote');
    await expect(other.client.readResource({ uri: 'stave://tracks/x' })).rejects.toThrow();
  });

  it('searches, page by page, without URLs', async () => {
    const all = await mcp.call('search_tracks');
    expect(all.data).toMatchObject({ totalRecords: 30, pageSize: 10, totalPages: 3 });
    expect(all.data.tracks).toHaveLength(10);
    expect(JSON.stringify(all)).not.toContain('http');
    expect(all.text).toMatch(/^30 tracks, page 1 of 3\n/);
    expect(all.text.split('\n')).toHaveLength(11);
    const last = await mcp.call('search_tracks', { page: 2, pageSize: 25 });
    expect(last.data.tracks).toHaveLength(5);
  });

  it('searches with every condition', async () => {
    const [{ name, slug }] = (await mcp.call('search_tracks')).data.tracks;
    const found = await mcp.call('search_tracks', {
      text: name,
      type: 'music',
      bpmMin: 0,
      bpmMax: 1000,
      durationMin: 0,
      durationMax: 100_000,
      releasedFrom: '1900-01-01',
      releasedTo: '2100-01-01',
      sort: 'relevance',
    });
    expect(found.data.tracks[0]).toMatchObject({ name, slug });
    const none = await mcp.call('search_tracks', { filterSlugs: ['no-such-filter'] });
    expect(none.data).toMatchObject({ totalRecords: 0, warnings: [{ field: 'filterSlugs' }] });
    expect(none.text).toContain('Warning: ');
  });

  it('reads a track with URLs that play, as a tool and as a resource', async () => {
    const [{ slug }] = (await mcp.call('search_tracks')).data.tracks;
    const { data } = await mcp.call('get_track', { track: slug });
    expect(data.track).toMatchObject({ slug, streamUrl: expect.stringContaining(server.address) });
    const uri = `stave://tracks/${slug}`;
    const { contents } = await mcp.client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }]);
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ slug });
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates.map((one) => one.uriTemplate)).toEqual(['stave://tracks/{slug}']);
  });

  it('completes the slug of a resource', async () => {
    const [{ slug }] = (await mcp.call('search_tracks')).data.tracks;
    const { completion } = await mcp.client.complete({
      ref: { type: 'ref/resource', uri: 'stave://tracks/{slug}' },
      argument: { name: 'slug', value: slug.slice(0, -1) },
    });
    expect(completion.values).toContain(slug);
  });

  it('finds similar tracks with reasons', async () => {
    const [{ slug }] = (await mcp.call('search_tracks')).data.tracks;
    const { data, text } = await mcp.call('similar_tracks', { track: slug, limit: 3 });
    expect(data.tracks).toHaveLength(3);
    expect(data.tracks[0]).toMatchObject({ score: expect.any(Number), reasons: {} });
    expect(text).toContain(`3 tracks similar to ${slug}`);
  });

  it('lists filters, most tracks first', async () => {
    const { data } = await mcp.call('list_filters');
    const counts = data.filters.map((one: { trackCount: number }) => one.trackCount);
    expect(counts.length).toBeGreaterThan(1);
    expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a));
    const [{ name, slug, type }] = data.filters;
    const one = await mcp.call('list_filters', { type, contains: name.toUpperCase() });
    expect(one.data.filters[0].slug).toBe(slug);
    const found = await mcp.call('search_tracks', { filterSlugs: [slug] });
    expect(found.data.totalRecords).toBe(counts[0]);
  });

  it('lists and reads playlists', async () => {
    const { data } = await mcp.call('list_playlists');
    expect(data).toMatchObject({ totalRecords: 1, playlists: [{ name: 'Calm', slug: playlist }] });
    const read = await mcp.call('get_playlist', { playlist });
    expect(read.data).toMatchObject({ playlist: { slug: playlist }, totalRecords: 2 });
    const ids = (tracks: { id: string }[]) => tracks.map(({ id }) => id);
    expect(ids(read.data.tracks)).toEqual([delivery(1).id, delivery(2).id]);
    const second = await mcp.call('get_playlist', { playlist, page: 2, pageSize: 1 });
    expect(ids(second.data.tracks)).toEqual([delivery(2).id]);
  });

  it('quotes a price and buys nothing', async () => {
    const [{ slug }] = (await mcp.call('search_tracks')).data.tracks;
    const { data: card } = await mcp.call('get_rate_card');
    expect(card.rateCard.media).toContain('online');
    const use = { media: ['online'], territories: ['DE'], term: 'P1Y', audience: 50_000 };
    const quoted = await mcp.call('create_quote', {
      tracks: [slug],
      ...use,
      projectName: 'Spring ad',
      purchaseOrder: 'PO-7',
    });
    expect(quoted.data.quote).toMatchObject({
      ...{ status: 'open', licenseNumber: null, purchaseOrder: 'PO-7' },
    });
    expect(quoted.text).toMatch(/^Quote \S+: \d+\.\d\d EUR, valid until .+ Nothing was bought\.\n/);
    const token = await client.token();
    const { data: licenses } = await server.call('listLicenses', { token });
    expect(licenses.totalRecords).toBe(0);
    const unsold = await mcp.call('create_quote', {
      tracks: [slug],
      ...use,
      media: ['telepathy'],
      projectName: 'Spring ad',
    });
    expect(unsold.isError).toBe(true);
    expect(unsold.text).toContain('media');
  });

  it.each([
    ['get_track', { track: 'no-such-track' }],
    ['similar_tracks', { track: 'no-such-track' }],
    ['get_playlist', { playlist: 'no-such-playlist' }],
  ])('reports the error of the API with the next step and its docs: %s', async (name, args) => {
    const { data, text, isError } = await mcp.call(name, args);
    expect(isError).toBe(true);
    const docs = `${server.address}/docs/errors#not_found`;
    expect(data.error).toMatchObject({ type: 'not_found', requestId: expect.any(String), docs });
    expect(data.error.next).toMatch(/^Find another slug or id/);
    for (const part of [data.error.next, docs, `request ${data.error.requestId}`]) {
      expect(text).toContain(part);
    }
  });

  it.each([
    ['search_tracks', { pageSize: 26 }, 'pageSize must be a whole number from 1 to 25'],
    ['search_tracks', { perPage: 5 }, '(did you mean pageSize?)'],
    ['search_tracks', { filterSlugs: ['Calm'] }, '(did you mean calm?)'],
    ['search_tracks', { releasedFrom: '2026-02-30' }, 'releasedFrom must name a day that exists'],
    ['get_track', {}, 'track is missing'],
    ['get_track', { track: '' }, 'track must hold only the letters a to z, digits and hyphens'],
    ['get_track', { track: '..' }, 'track must hold only the letters a to z, digits and hyphens'],
    ['get_track', { track: 'Über' }, 'track must hold only the letters a to z, digits and hyphens'],
    ['similar_tracks', { track: 'x', limit: 0 }, 'limit must be a whole number from 1 to 25'],
    ['similar_tracks', { track: '../snapshot?x=' }, 'track must hold only the letters a to z'],
    ['get_playlist', { playlist: 'a/tracks' }, 'playlist must hold only the letters a to z'],
  ])(
    'refuses wrong input as a result that the model can read: %s %j',
    async (name, args, message) => {
      const { data, text, isError } = await mcp.call(name, args);
      expect(isError).toBe(true);
      expect(data.error.type).toBe('invalid_request');
      expect(data.error.details[0].message).toContain(message);
      expect(text).toContain(`invalid_request: ${data.error.message}`);
      expect(text).toContain(data.error.next);
    },
  );

  it.each([
    ['search_tracks', 'searchTracks', { bpmMin: 'fast', hasVocals: 'True', sort: 'random' }],
    ['search_tracks', 'searchTracks', { type: 'Music', durationMin: -1, page: 0, bpmMax: null }],
    ['search_tracks', 'searchTracks', { filterSlugs: ['Über', 'a b'], durationMax: '9' }],
    ['search_tracks', 'searchTracks', { bpmMin: 120, bpmMax: 90 }],
    ['create_quote', 'createQuote', { tracks: [], media: 'tv', term: null, audience: 1.5 }],
    ['create_quote', 'createQuote', { tracks: ['x'], territories: ['UK'] }],
    ['create_quote', 'createQuote', { tracks: ['x'], purchaseOrder: '' }],
    ['create_quote', 'createQuote', { tracks: ['x'], purchaseOrder: 'PO\n7' }],
  ])('says of wrong input what the API says: %s %s %j', async (name, operationId, body) => {
    const quoted = { media: ['online'], territories: ['DE'], term: 'P1Y', audience: 1 };
    const isQuote = name === 'create_quote';
    const { data } = await mcp.call(name, {
      ...(isQuote && { ...quoted, projectName: 'Ad' }),
      ...body,
    });
    const { error } = await server.call(operationId, {
      token: await client.token(),
      body: { ...(isQuote && { ...quoted, project: { name: 'Ad' } }), ...body },
    });
    expect(data.error).toMatchObject({ type: error.type, message: error.message });
    expect(data.error.details).toEqual(error.details);
  });

  it.each(['snapshot', 'Changes'])('reads no other path as a track: %s', async (track) => {
    const { data, text, isError } = await mcp.call('get_track', { track });
    const message = `slug must not be "${track}", which is the path of another operation`;
    const next = expect.stringMatching(/^Correct the arguments/);
    expect(isError).toBe(true);
    expect(data.error).toEqual({ type: 'invalid_request', message, next });
    expect(text).toBe(`invalid_request: ${message}\n${data.error.next}`);
  });

  it.each([
    ['stave://tracks/no-such-track', 'There is no track'],
    ['stave://tracks/snapshot', 'slug must not be "snapshot"'],
    ['stave://tracks/..%2Fme', 'ends with its slug or its id'],
    ['stave://tracks/%ff', 'ends with its slug or its id'],
    ['stave://albums/x', 'not found'],
  ])('does not find the resource %s', async (uri, message) => {
    await expect(mcp.client.readResource({ uri })).rejects.toThrow(message);
  });

  it('reports a service that cannot be reached as a result', async () => {
    const gone = await startTestServer({ tracks: [] });
    const one = await gone.createClient();
    await using other = await connect(stdioTransport(gone.address, one));
    await gone.close();
    const { data, isError } = await other.call('search_tracks');
    expect(isError).toBe(true);
    expect(data.error).toMatchObject({
      type: 'unreachable',
      next: expect.stringMatching(/again after a minute/),
    });
  });

  it('writes only messages of the protocol, and ends when its input ends', async () => {
    const child = spawn(process.execPath, [MAIN, 'mcp'], {
      env: mcpEnvironment(server.address, client),
    });
    const written = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      written.stdout += text;
      child.stdin.end();
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      written.stderr += text;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    };
    const opening = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    child.stdin.write(`not JSON\n${JSON.stringify(opening)}\n`);
    expect(await ended).toBe(0);
    expect(written.stderr).toBe('');
    const messages = written.stdout.trimEnd().split('\n');
    expect(messages.map((line) => JSON.parse(line))).toMatchObject([{ jsonrpc: '2.0', id: 1 }]);
  });

  it('ends at SIGTERM', async () => {
    const child = spawn(process.execPath, [MAIN, 'mcp'], {
      env: mcpEnvironment(server.address, client),
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    child.stdout.once('data', () => child.kill('SIGTERM'));
    expect(await ended).toBe(0);
  });
});
