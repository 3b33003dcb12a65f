import { expect, it } from 'vitest';
import { curlOf, sdkOf } from './snippet.ts';

const BASE = 'https://music.example.com/api';

it('writes a GET with its path and query, and a placeholder for the token', () => {
  const input = { idOrSlug: 'a b', search: "rock'n'roll", filterSlugs: ['calm', 'dark'] };
  const path = '/v1/playlists/{idOrSlug}/tracks';
  expect(curlOf({ operation: 'listPlaylistTracks', method: 'GET', path, input }, BASE)).toBe(
    `curl -sS '${BASE}/v1/playlists/a%20b/tracks?search=rock%27n%27roll&filterSlugs=calm,dark' \\\n` +
      '  -H "Authorization: Bearer $STAVE_TOKEN"',
  );
});

it('writes a POST with its body as one word of the shell', () => {
  const input = { query: "don't" };
  const call = { operation: 'searchTracks', method: 'POST', path: '/v1/search', input } as const;
  expect(curlOf(call, BASE)).toContain(`-d '{"query":"don'\\''t"}'`);
});

it('writes a POST of a file', () => {
  const call = { operation: 'searchByAudio', method: 'POST', path: '/v1/search/by-audio' } as const;
  const withFile = { ...call, input: { limit: 50 }, file: "it's.mp3" };
  expect(curlOf(withFile, BASE)).toBe(
    `curl -sS '${BASE}/v1/search/by-audio?limit=50' \\\n  -H "Authorization: Bearer $STAVE_TOKEN" \\\n` +
      `  -H 'Content-Type: application/octet-stream' \\\n  --data-binary '@it'\\''s.mp3'`,
  );
  expect(sdkOf(withFile, BASE)).toContain(
    'stave.searchByAudio({\n  limit: 50,\n  file: await openAsBlob("it\'s.mp3")\n});',
  );
});

it('writes a call of the client library', () => {
  const call = { operation: 'listTracks', method: 'GET', path: '/v1/tracks' } as const;
  expect(sdkOf({ ...call, input: {} }, BASE)).toContain('stave.listTracks();');
  const code = sdkOf({ ...call, input: { search: 'a "b": c', bpmMin: 60 } }, BASE);
  expect(code).toContain('search: "a \\"b\\": c",\n  bpmMin: 60');
  expect(sdkOf({ ...call, input: {} }, BASE, 'de')).toContain("_SECRET,\n  language: 'de',\n}");
  expect(curlOf({ ...call, input: {} }, BASE, 'de')).toContain("-H 'Accept-Language: de'");
  expect(code).not.toContain('clientSecret: "');
});
