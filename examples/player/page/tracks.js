/** A reason why something is not available, as a sentence for the visitor. */
export class Unavailable extends Error {}

const NOT_NOW = 'The music is not available at the moment. Please try again later.';
const TAKEN_DOWN = 'This track is no longer available.';
const NOTHING = {
  streamUrl: 'There is no recording of this track.',
  previewUrl: 'There is no preview of this track.',
};

/** Returns a page of the tracks that match a text. */
export async function findTracks(search, page) {
  const response = await send(`tracks?${new URLSearchParams({ search, page })}`);
  if (!response.ok) throw new Unavailable(NOT_NOW);
  return response.json();
}

/** Replaces the URLs of a track by new ones. */
export async function renew(track) {
  const response = await send(`tracks/${track.id}`);
  // Since the list was loaded, the track may have been taken down.
  if (response.status === 404) throw new Unavailable(TAKEN_DOWN);
  if (!response.ok) throw new Unavailable(NOT_NOW);
  Object.assign(track, await response.json());
}

/** Whether the URLs of a track end within ten seconds, by the clock of this machine. */
export const isEnding = (track) => Date.parse(track.streamUrlExpiresAt) < Date.now() + 10_000;

/**
 * Requests a URL of a track: `streamUrl`, `previewUrl`, `waveformUrl` or `waveformDataUrl`. Waits while
 * the file is being made, and renews the URLs if they have ended. Throws Unavailable.
 */
export async function request(track, member, fetchUrl = fetch) {
  if (isEnding(track)) await renew(track);
  let renewals = 0;
  for (let attempts = 0; attempts < 40; attempts++) {
    const response = await send(track[member], fetchUrl);
    if (response.ok) return response;
    const { error } = await response.json().catch(() => ({}));
    if (response.status === 503) {
      const seconds = Number(response.headers.get('retry-after')) || 5;
      await new Promise((resolve) => setTimeout(resolve, 1_000 * seconds));
    } else if (error?.type === 'url_expired' && renewals++ < 2) {
      // The clock of this machine may be wrong, or the operator has ended the URL.
      await renew(track);
    } else {
      throw new Unavailable(problem(response.status, member));
    }
  }
  throw new Unavailable(NOT_NOW);
}

function problem(status, member) {
  if (status === 410) return TAKEN_DOWN;
  return status === 404 ? (NOTHING[member] ?? 'There is no waveform of this track.') : NOT_NOW;
}

/** Sends a request. A failure of the connection is Unavailable, too. */
async function send(url, fetchUrl = fetch) {
  try {
    return await fetchUrl(url);
  } catch {
    throw new Unavailable(NOT_NOW);
  }
}

const lanes = [Promise.resolve(), Promise.resolve()];
let taken = 0;

/**
 * Like `fetch`, but at most two requests at a time: a request for a waveform that is being made takes up to
 * ten seconds, and browsers send only six requests at a time to a server. The others are left for listening.
 */
export function fetchInTurn(url) {
  const lane = taken++ % lanes.length;
  const response = lanes[lane].then(() => fetch(url));
  lanes[lane] = response.catch(() => {});
  return response;
}
