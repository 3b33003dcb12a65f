import { expect } from 'vitest';
import { GUEST, newLink } from '../../../../test/harness/collections.ts';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';

const guests = { access: 'public' as const };

const ofLink = async (context: EndpointContext, body?: Record<string, unknown>) => {
  const { token, trackId } = await newLink(context, body);
  return { params: { token }, trackId };
};

const HEADERS = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'same-origin',
};

testEndpoint({
  ...guests,
  operationId: 'readShared',
  operation: 'GET /v1/shared/{token}',
  request: async (context) => ({ params: (await ofLink(context)).params }),
  expectResponse({ data, headers }) {
    const { items, expiresAt: _, ...rest } = data;
    expect(rest).toEqual({
      ...{ totalRecords: 1, totalPages: 1, currentPage: 1, pageSize: 20 },
      ...{ name: 'Spring campaign', description: '', by: { name: 'Test client' } },
      ...{ streams: 'full', comments: true },
    });
    expect(Object.keys(items[0].track)).toEqual([
      ...['id', 'name', 'slug', 'artists', 'durationSeconds', 'bpm', 'songKey', 'tags', 'filters'],
      ...['artworkUrl', 'waveformUrl', 'streamUrl'],
    ]);
    expect(items).toMatchObject([{ note: '', votes: { approve: 0, pass: 0 }, comments: [] }]);
    expect(headers).toMatchObject(HEADERS);
  },
});

testEndpoint({
  ...guests,
  operationId: 'unlockShared',
  operation: 'POST /v1/shared/{token}/unlock',
  request: async (context) => ({
    params: (await ofLink(context, { password: 'spring 2027' })).params,
    body: { password: 'spring 2027' },
  }),
  expectResponse({ headers }) {
    expect(String(headers['set-cookie'])).toMatch(
      /^__Host-stave-link-[0-9a-f-]{36}=[^;]+; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Strict$/,
    );
    expect(headers).toMatchObject(HEADERS);
  },
});

testEndpoint({
  ...guests,
  operationId: 'voteShared',
  operation: 'PUT /v1/shared/{token}/votes/{trackId}',
  elsewhere: ['conflict'],
  request: async (context) => {
    const { params, trackId } = await ofLink(context);
    return { params: { ...params, trackId }, body: { ...GUEST, vote: 'approve' } };
  },
  expectResponse({ data, headers }, { request }) {
    const { trackId } = request.params!;
    expect(data).toEqual({ trackId, votes: { approve: 1, pass: 0 } });
    expect(headers).toMatchObject(HEADERS);
  },
});

testEndpoint({
  ...guests,
  operationId: 'commentShared',
  operation: 'POST /v1/shared/{token}/comments',
  elsewhere: ['conflict'],
  status: 201,
  request: async (context) => {
    const { params, trackId } = await ofLink(context);
    return { params, body: { ...GUEST, trackId, text: 'Could <b>work</b>' } };
  },
  expectResponse({ data, headers }) {
    expect(data).toMatchObject({ name: 'Ana', text: 'Could <b>work</b>' });
    expect(headers).toMatchObject(HEADERS);
  },
});
