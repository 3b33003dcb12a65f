// Generated from docs/reference/openapi.json by `npm run reference`; not to be edited.

import type { RequestOptions } from '../options.ts';
import type { PageResult } from '../pages.ts';
import { Requests } from '../requests.ts';
import type { Result } from '../result.ts';
import type * as api from './types.ts';

/** The operations of the API, a method each. */
export abstract class Operations extends Requests {
  /**
   * Get an access token.
   *
   * Exchanges client credentials for an access token of one hour. The credentials are in the body, as JSON or as a form, or in HTTP Basic, but not in both. OAuth libraries use `POST /oauth/token` instead, whose response has no envelope. Failed attempts are limited by address; valid credentials are never refused.
   */
  createToken(input: api.CreateTokenInput, options?: RequestOptions): Result<api.AccessToken> {
    return this.data(
      { name: 'createToken', path: '/v1/auth/token', method: 'POST', body: 'json', isPublic: true },
      input,
      options,
    );
  }

  /**
   * Get an access token with an OAuth library.
   *
   * Gives the same token for the same credentials as `POST /v1/auth/token`, in the form that OAuth libraries expect (RFC 6749 §4.4 and §5). The body is a form; the credentials are in it (`client_secret_post`) or in HTTP Basic (`client_secret_basic`). The response has no envelope: a success has the members of §5.1, and every error, whatever its status, has `error`, `error_description` and `error_uri` (§5.2). If §5.2 has no code for an error, the code is `invalid_request` for other faults of the request, `temporarily_unavailable` for 429 and 503, which carry `Retry-After`, and `server_error` for 500. Only malformed HTTP gets a response with the envelope.
   */
  createOAuthToken(
    input: api.CreateOAuthTokenInput,
    options?: RequestOptions,
  ): Result<api.OAuthToken> {
    return this.document(
      {
        name: 'createOAuthToken',
        path: '/oauth/token',
        method: 'POST',
        body: 'form',
        isPublic: true,
      },
      input,
      options,
    );
  }

  /**
   * Describe the token endpoint to an OAuth library.
   *
   * Authorization server metadata (RFC 8414), with which an OAuth library configures itself. The response has no envelope. If the service has a path on its host, libraries request this document at the root of the host, with that path at the end (RFC 8414 §3.1); the proxy must forward this request.
   */
  readOAuthMetadata(options?: RequestOptions): Result<api.AuthorizationServer> {
    return this.document(
      {
        name: 'readOAuthMetadata',
        path: '/.well-known/oauth-authorization-server',
        isPublic: true,
      },
      {},
      options,
    );
  }

  /**
   * Get a token for pages in browsers.
   *
   * Call it from your server, and give the token to your page. It reads tracks, filters and playlists, and searches, from the named origins, with 120 requests a minute for each user. It ends with the secret that your own token came from.
   */
  createBrowserToken(
    input: api.CreateBrowserTokenInput,
    options?: RequestOptions,
  ): Result<api.BrowserToken> {
    return this.data(
      { name: 'createBrowserToken', path: '/v1/auth/browser-token', method: 'POST', body: 'json' },
      input,
      options,
    );
  }

  /**
   * Show what the token may do.
   *
   * Needs no scope: every valid token may call it.
   */
  readMe(options?: RequestOptions): Result<api.Me> {
    return this.data({ name: 'readMe', path: '/v1/me' }, {}, options);
  }

  /**
   * List and filter tracks.
   *
   * Newest release first; with `search`, best match first; or in the order of `sort`. The order is total, so pages neither overlap nor skip tracks while the catalog does not change. An unknown parameter is an error, because a typo would silently widen the result, and so is a repeated one; parameters that begin with `_` or `utm_` are ignored.
   */
  listTracks(
    input: api.ListTracksInput = {},
    options?: RequestOptions,
  ): PageResult<api.FoundTracks, api.Track> {
    return this.page({ name: 'listTracks', path: '/v1/tracks' }, input, options);
  }

  /**
   * Read one track.
   *
   * By slug or id, in any case. A track that was taken down is not found. With a test token, `f1c70000-0000-4000-8000-000000000200` is always found.
   */
  showTrack(input: api.ShowTrackInput, options?: RequestOptions): Result<api.Track> {
    return this.data(
      {
        name: 'showTrack',
        path: '/v1/tracks/{slug}',
        reserved: { slug: ['batch', 'stream-urls', 'changes', 'snapshot'] },
      },
      input,
      options,
    );
  }

  /**
   * Read several tracks.
   *
   * By slugs or ids, in any case. The tracks are in the order of the request. A track that is named twice is returned once, at its first place. `notFound` lists the names without a track, as they were sent; a track that was taken down is not found. It is a read: it counts as one request, and an `Idempotency-Key` is ignored.
   */
  batchTracks(input: api.BatchTracksInput, options?: RequestOptions): Result<api.NamedTracks> {
    return this.data(
      {
        name: 'batchTracks',
        path: '/v1/tracks/batch',
        method: 'POST',
        body: 'json',
        query: ['language'],
      },
      input,
      options,
    );
  }

  /**
   * Get new stream URLs of several tracks.
   *
   * For a list of tracks that was read earlier. The URLs are in the order of the request. A track that is named twice is returned once, at its first place. `notFound` lists the ids without a track, as they were sent; a track that was taken down is not found. It is a read: it counts as one request, and an `Idempotency-Key` is ignored.
   */
  signStreams(input: api.SignStreamsInput, options?: RequestOptions): Result<api.SignedStreams> {
    return this.data(
      { name: 'signStreams', path: '/v1/tracks/stream-urls', method: 'POST', body: 'json' },
      input,
      options,
    );
  }

  /**
   * Search tracks with a JSON body.
   *
   * The same query as `GET /v1/tracks`, with the same `data` in the response, or a brief in plain words. All members are optional; `{}` matches all tracks. An unknown member is an error, because a typo would silently widen the result.
   */
  searchTracks(
    input: api.SearchTracksInput,
    options?: RequestOptions,
  ): PageResult<api.SearchedTracks, api.RankedTrack> {
    return this.page(
      { name: 'searchTracks', path: '/v1/search', method: 'POST', body: 'json' },
      input,
      options,
    );
  }

  /**
   * Complete a text during typing.
   *
   * Designed for a call on each keystroke. Filters come first: those that tracks carry and in whose name each word of the text begins a word, most tracks first. Then follow names of tracks without duplicates, in the order in which a search for the text finds them; a name that contains the text only within a word or with a typo is not a completion. Filters take a third of `limit`, rounded up, and more if there are not enough names.
   */
  suggest(input: api.SuggestInput, options?: RequestOptions): Result<api.Suggestions> {
    return this.data({ name: 'suggest', path: '/v1/suggest' }, input, options);
  }

  /**
   * List all filters.
   *
   * All genres, moods and use-cases, ordered by type and name, not paginated. `filterIds` and `filterSlugs` take their ids and slugs.
   */
  listFilters(input: api.ListFiltersInput = {}, options?: RequestOptions): Result<api.FilterList> {
    return this.data({ name: 'listFilters', path: '/v1/filters' }, input, options);
  }

  /**
   * List the languages of texts.
   *
   * The languages into which names, tags and descriptions are translated, with the numbers of live tracks, filters and playlists that have such a text.
   */
  listLanguages(options?: RequestOptions): Result<api.Languages> {
    return this.data({ name: 'listLanguages', path: '/v1/languages' }, {}, options);
  }

  /**
   * List the playlists granted to you.
   *
   * Ordered by name. Counts and durations omit tracks that were taken down.
   */
  listPlaylists(
    input: api.ListPlaylistsInput = {},
    options?: RequestOptions,
  ): PageResult<api.PlaylistPage, api.Playlist> {
    return this.page({ name: 'listPlaylists', path: '/v1/playlists' }, input, options);
  }

  /**
   * Read one playlist.
   *
   * By id or slug, in any case. Count and duration omit tracks that were taken down. The response for a playlist that is not granted to you is the same as for one that does not exist.
   */
  showPlaylist(input: api.ShowPlaylistInput, options?: RequestOptions): Result<api.Playlist> {
    return this.data({ name: 'showPlaylist', path: '/v1/playlists/{idOrSlug}' }, input, options);
  }

  /**
   * Page through a playlist.
   *
   * In the order of the playlist. Tracks that were taken down are omitted and not counted. The response for a playlist that is not granted to you is the same as for one that does not exist.
   */
  listPlaylistTracks(
    input: api.ListPlaylistTracksInput,
    options?: RequestOptions,
  ): PageResult<api.TrackPage, api.Track> {
    return this.page(
      { name: 'listPlaylistTracks', path: '/v1/playlists/{idOrSlug}/tracks' },
      input,
      options,
    );
  }

  /**
   * List the most licensed tracks.
   *
   * Tracks with at least one license in the period, most licensed first, ties by id. Counts include all clients: live licenses for a live token, test licenses for a test token. `type` and `filterSlugs` restrict the list before it is ranked.
   */
  listMostLicensed(
    input: api.ListMostLicensedInput = {},
    options?: RequestOptions,
  ): PageResult<api.LicensedTrackPage, api.LicensedTrack> {
    return this.page(
      { name: 'listMostLicensed', path: '/v1/analytics/most-licensed' },
      input,
      options,
    );
  }

  /**
   * Follow the changes of the catalog.
   *
   * Every change of a track, in the order in which they were made. Give `since` or `cursor`, and continue with `nextCursor`. With `wait`, a request that finds nothing waits for the next event. A position that is lost gets 410 `gone`: load the catalog again.
   */
  listTrackChanges(
    input: api.ListTrackChangesInput = {},
    options?: RequestOptions,
  ): Result<api.TrackChanges> {
    return this.data({ name: 'listTrackChanges', path: '/v1/tracks/changes' }, input, options);
  }

  /**
   * Download the whole catalog.
   *
   * All live tracks as lines of JSON, each with a member `type`:
   *
   * - `{"type":"snapshot","cursor":"c1.…","seq":4711,"takenAt":"…","tracks":1000000}` is the first line. The cursor is taken before the tracks are read: `GET /v1/tracks/changes?cursor=…` continues from it.
   * - `{"type":"track","track":{…}}` has the members of a track except `streamUrl` and `streamUrlExpiresAt`. The order is unspecified.
   * - `{"type":"mark","resume":"r1.…"}` follows every 10,000th track.
   * - `{"type":"end","tracks":1000123,"sha256":"…"}` is the last line: the number of the lines with tracks in this response, and the SHA-256 of these lines, each with its line feed, without compression.
   *
   * A body without an `end` line is incomplete: request the rest with `resume` of the last mark. A client may receive 2 of these responses at a time.
   */
  readTrackSnapshot(
    input: api.ReadTrackSnapshotInput = {},
    options?: RequestOptions,
  ): AsyncGenerator<string, void, undefined> {
    return this.lines({ name: 'readTrackSnapshot', path: '/v1/tracks/snapshot' }, input, options);
  }

  /**
   * Find what refers to a track.
   *
   * By slug or id, in any case: the impact of a takedown. A track that was taken down is found only if one of the three lists refers to it.
   */
  readTrackReferences(
    input: api.ReadTrackReferencesInput,
    options?: RequestOptions,
  ): Result<api.TrackReferences> {
    return this.data(
      { name: 'readTrackReferences', path: '/v1/tracks/{slug}/references' },
      input,
      options,
    );
  }

  /**
   * Report the versions.
   *
   * Responds as long as the process runs. Needs no token and is never rate-limited.
   */
  readVersion(options?: RequestOptions): Result<api.Version> {
    return this.data({ name: 'readVersion', path: '/version', isPublic: true }, {}, options);
  }

  /**
   * Report whether the node can serve.
   *
   * Responds with 200 if the node can serve, and with 503 `unavailable` with the same `data` while it starts, drains, or has been cut off from its database for too long, so that a load balancer can use it. Needs no token and is never rate-limited.
   */
  healthCheck(options?: RequestOptions): Result<api.Version> {
    return this.data({ name: 'healthCheck', path: '/health-check', isPublic: true }, {}, options);
  }

  /**
   * Report that the process responds.
   *
   * Responds as long as the process runs. Needs no token and is never rate-limited.
   */
  checkLiveness(options?: RequestOptions): Result<api.Version> {
    return this.data({ name: 'checkLiveness', path: '/livez', isPublic: true }, {}, options);
  }

  /**
   * Report whether the node can serve, as the health check does.
   *
   * Responds with 200 if the node can serve, and with 503 `unavailable` with the same `data` while it starts, drains, or has been cut off from its database for too long, so that a load balancer can use it. Needs no token and is never rate-limited.
   */
  checkReadiness(options?: RequestOptions): Result<api.Version> {
    return this.data({ name: 'checkReadiness', path: '/readyz', isPublic: true }, {}, options);
  }

  /**
   * Stream the audio of a track.
   *
   * The URL in `streamUrl`, which works without changes in an `<audio>` element: no header is needed. Its query (`expires`, `issued`, `client`, `mode`, `signature`) must be sent exactly as received; `&download` at the end makes a browser save the file under its name. A download that began in time completes. Seeks and resumes work through `Range` (one range), `If-Range`, `HEAD` and the strong `ETag`. The response may be a redirect to the storage of the audio, which supports ranges, too.
   */
  streamTrack(input: { url: string }, options?: RequestOptions): Promise<Response> {
    return this.media({ name: 'streamTrack', isPublic: true }, input, options);
  }

  /**
   * Stream the preview clip of a track.
   *
   * The URL in `previewUrl`, which works without changes in an `<audio>` element. Its query must be sent exactly as received. The clip is an MP3 of 30 seconds, or of the whole track if that is shorter. Ranges, conditions, `HEAD` and redirects work as for `streamUrl`. If the clip does not exist yet, the request waits up to 10 seconds for it, and then gets `unavailable` with `Retry-After: 5`. A track whose audio cannot be decoded gets `not_found` with the reason.
   */
  streamPreview(input: { url: string }, options?: RequestOptions): Promise<Response> {
    return this.media({ name: 'streamPreview', isPublic: true }, input, options);
  }

  /**
   * Read the waveform of a track.
   *
   * The URLs in `waveformUrl` (JSON, without an envelope) and `waveformDataUrl` (binary). Both are [BBC audiowaveform data](https://github.com/bbc/audiowaveform/blob/master/doc/DataFormat.md) of version 2 with 8 bits and one channel, and hold the same numbers: the minimum and the maximum of each bin. The query must be sent exactly as received. The JSON is compressed for callers that accept gzip; ranges exist only of the binary form. If the waveform does not exist yet, the request waits up to 10 seconds for it, and then gets `unavailable` with `Retry-After: 5`. A track whose audio cannot be decoded gets `not_found` with the reason.
   */
  readWaveform(input: { url: string }, options?: RequestOptions): Promise<Response> {
    return this.media({ name: 'readWaveform', isPublic: true }, input, options);
  }

  /**
   * Download a file of a license.
   *
   * The `url` of a file in the response to `POST /v1/licenses/{number}/downloads`. Its query must be sent exactly as received. The tags are written while the file is sent, so the response is never a redirect; `Content-Length` is exact. Ranges, conditions and `HEAD` work as for `streamUrl`. When the license is revoked, the URL gets `gone`, and a download under way ends within a second.
   */
  downloadLicensedFile(
    input: api.DownloadLicensedFileInput,
    options?: RequestOptions,
  ): Result<string> {
    return this.text(
      { name: 'downloadLicensedFile', path: '/media/download/{id}', isPublic: true },
      input,
      options,
    );
  }

  /**
   * Stream a stem or an alternate version.
   *
   * The `url` of a part in the list of the stems of its track. Its query must be sent exactly as received. Ranges, conditions, `HEAD` and redirects work as for `streamUrl`. A part that was removed gets `not_found`, and one of a track that was taken down `gone`.
   */
  streamPart(input: { url: string }, options?: RequestOptions): Promise<Response> {
    return this.media({ name: 'streamPart', isPublic: true }, input, options);
  }

  /**
   * Download all parts of a track as a ZIP file.
   *
   * The `archiveUrl` of the list of the stems of a track. Its query must be sent exactly as received. The files are stored without compression, as `<slug>/stems/NN-<kind>.<ext>` and `<slug>/versions/NN-<kind>.<ext>`; NN is the place in the list. `Content-Length` is exact. Ranges are not supported. A node sends four archives at a time, two of them to the same client; a further request gets `unavailable` with `Retry-After`.
   */
  streamArchive(input: { url: string }, options?: RequestOptions): Promise<Response> {
    return this.media({ name: 'streamArchive', isPublic: true }, input, options);
  }

  /**
   * Read the artwork of a track or a playlist.
   *
   * The URL in `artworkUrl`. It has no signature, names its content, and may be cached forever. A track that was delivered without artwork has a generated picture.
   */
  readArtwork(input: { url: string }, options?: RequestOptions): Promise<Response> {
    return this.media({ name: 'readArtwork', isPublic: true }, input, options);
  }

  /**
   * Find similar tracks.
   *
   * The tracks that resemble a track most, best first, by genres (40 %), moods (35 %) and tempo (25 %). What the given track lacks does not count. Other releases of the same recording are left out. Ties: a key in common, equal vocals, newest, then by id. With `by`, they are compared by their sound: then an artist has three of the first ten tracks at most, and a track whose audio has not been analyzed is 409. The list has no pages.
   */
  listSimilarTracks(
    input: api.ListSimilarTracksInput,
    options?: RequestOptions,
  ): Result<api.SimilarTracks> {
    return this.data(
      { name: 'listSimilarTracks', path: '/v1/tracks/{slug}/similar' },
      input,
      options,
    );
  }

  /**
   * Find tracks that sound like an audio file.
   *
   * The body is the file, of at most 20 MiB and 10 minutes, in any format of imports. It is analyzed, and nothing of it is kept. The response is that of `listSimilarTracks` by sound. A client may send two files at a time, and ten a minute; further requests are refused before their body. Silence, damaged audio, and audio that takes more than 20 s to decode is 400. If the operator has switched the analysis of audio off, 409.
   */
  searchByAudio(
    input: api.SearchByAudioInput,
    options?: RequestOptions,
  ): Result<api.SimilarTracks> {
    return this.data(
      {
        name: 'searchByAudio',
        path: '/v1/search/by-audio',
        method: 'POST',
        body: 'file',
        query: ['limit', 'type', 'hasVocals', 'filterSlugs', 'language'],
      },
      input,
      options,
    );
  }

  /**
   * List the stems and alternate versions of a track.
   *
   * By slug or id, in any case. Each part has a signed URL, and all of them are together in the ZIP file at `archiveUrl`. A track without parts has two empty lists. Parts are not tracks: no list or search finds them.
   */
  listStems(input: api.ListStemsInput, options?: RequestOptions): Result<api.TrackParts> {
    return this.data({ name: 'listStems', path: '/v1/tracks/{slug}/stems' }, input, options);
  }

  /**
   * Add up reported usage.
   *
   * The exact counts of accepted events by day, month, track, type or country. They include every report that was answered before. Days are those of UTC. A client may request 8 summaries at a time.
   */
  readUsageSummary(
    input: api.ReadUsageSummaryInput = {},
    options?: RequestOptions,
  ): PageResult<api.UsageSummary, api.UsageGroup> {
    return this.page({ name: 'readUsageSummary', path: '/v1/usage/summary' }, input, options);
  }

  /**
   * Report streams, downloads and syncs.
   *
   * Up to 500 events. A malformed event refuses the whole report (400), and nothing is stored. Events that cannot be accepted are rejected one by one, with a reason, and the others are stored. An event counts once under its `eventId`, so a report may be sent again at any time.
   */
  reportUsage(
    input: api.ReportUsageInput,
    options?: RequestOptions,
  ): Result<api.UsageReportResult> {
    return this.data(
      { name: 'reportUsage', path: '/v1/usage', method: 'POST', body: 'json', isWrite: true },
      input,
      options,
    );
  }

  /**
   * Read the cue sheet of a production.
   *
   * All syncs that you reported of the production in this mode, with the writers and publishers of each track. `problems` names the sides of works whose shares do not make 100 %.
   */
  readCueSheet(input: api.ReadCueSheetInput, options?: RequestOptions): Result<api.CueSheet> {
    return this.data({ name: 'readCueSheet', path: '/v1/usage/cue-sheet' }, input, options);
  }

  /**
   * Download the cue sheet of a production as CSV.
   *
   * RFC 4180 in UTF-8, with a heading: `Sequence`, `Number`, `Title`, `ISRC`, `ISWC`, `Usage`, `StartSeconds`, `DurationSeconds`, `PartyName`, `Role`, `IPI`, `Society`, `SharePercent`, `LicenseNumber`, `Ai`, `AiParts`, `TrainingAllowed`. One row for each cue and interested party, and one for a cue without parties. What is unknown is empty.
   */
  readCueSheetCsv(input: api.ReadCueSheetCsvInput, options?: RequestOptions): Result<string> {
    return this.text({ name: 'readCueSheetCsv', path: '/v1/usage/cue-sheet.csv' }, input, options);
  }

  /**
   * Save a search.
   *
   * The tracks that exist now count as seen. Unknown filters are allowed; they match nothing until they exist. A client has 100 saved searches at most in each mode, each with another name.
   */
  createSavedSearch(
    input: api.CreateSavedSearchInput,
    options?: RequestOptions,
  ): Result<api.SavedSearch> {
    return this.data(
      {
        name: 'createSavedSearch',
        path: '/v1/saved-searches',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * List saved searches.
   *
   * With the exact numbers of their tracks and of the new ones. Newest first.
   */
  listSavedSearches(
    input: api.ListSavedSearchesInput = {},
    options?: RequestOptions,
  ): PageResult<api.SavedSearchPage, api.SavedSearch> {
    return this.page({ name: 'listSavedSearches', path: '/v1/saved-searches' }, input, options);
  }

  /**
   * Read a saved search.
   *
   * With the exact numbers of its tracks and of the new ones. `GET /v1/saved-searches/{id}/tracks` lists the tracks.
   */
  showSavedSearch(
    input: api.ShowSavedSearchInput,
    options?: RequestOptions,
  ): Result<api.SavedSearch> {
    return this.data({ name: 'showSavedSearch', path: '/v1/saved-searches/{id}' }, input, options);
  }

  /**
   * Change a saved search.
   *
   * Members that are not sent stay as they are. `search` is replaced as a whole. What was seen stays seen.
   */
  updateSavedSearch(
    input: api.UpdateSavedSearchInput,
    options?: RequestOptions,
  ): Result<api.SavedSearch> {
    return this.data(
      {
        name: 'updateSavedSearch',
        path: '/v1/saved-searches/{id}',
        method: 'PATCH',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Delete a saved search.
   *
   * Its tracks stay in the catalog.
   */
  deleteSavedSearch(
    input: api.DeleteSavedSearchInput,
    options?: RequestOptions,
  ): Result<api.DeletedSavedSearch> {
    return this.data(
      {
        name: 'deleteSavedSearch',
        path: '/v1/saved-searches/{id}',
        method: 'DELETE',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Page through the tracks of a saved search.
   *
   * The same `data` as `POST /v1/search` with the saved search as its body.
   */
  listSavedSearchTracks(
    input: api.ListSavedSearchTracksInput,
    options?: RequestOptions,
  ): PageResult<api.FoundTracks, api.Track> {
    return this.page(
      { name: 'listSavedSearchTracks', path: '/v1/saved-searches/{id}/tracks' },
      input,
      options,
    );
  }

  /**
   * Mark the new tracks of a saved search as seen.
   *
   * All tracks that exist now, or with `seq` only those that were created up to that change, so that tracks that arrive meanwhile stay new. Tracks that were seen stay seen. The version stays as it is.
   */
  markSavedSearchSeen(
    input: api.MarkSavedSearchSeenInput,
    options?: RequestOptions,
  ): Result<api.SavedSearch> {
    return this.data(
      {
        name: 'markSavedSearchSeen',
        path: '/v1/saved-searches/{id}/seen',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Create a collection.
   *
   * With up to 500 tracks, or empty. If a track is unknown or was taken down, nothing is created, and the message names it. A client has 500 collections at most in each mode.
   */
  createCollection(
    input: api.CreateCollectionInput,
    options?: RequestOptions,
  ): Result<api.Collection> {
    return this.data(
      {
        name: 'createCollection',
        path: '/v1/collections',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * List collections.
   *
   * Yours, and those that other clients of your account share with you. Newest first. While 8 lists of a client are made, its further requests wait.
   */
  listCollections(
    input: api.ListCollectionsInput = {},
    options?: RequestOptions,
  ): PageResult<api.CollectionPage, api.Collection> {
    return this.page({ name: 'listCollections', path: '/v1/collections' }, input, options);
  }

  /**
   * Read a collection.
   *
   * Without its tracks, which `GET /v1/collections/{id}/tracks` lists. The response for a collection that you may not read is the same as for one that does not exist.
   */
  showCollection(input: api.ShowCollectionInput, options?: RequestOptions): Result<api.Collection> {
    return this.data({ name: 'showCollection', path: '/v1/collections/{id}' }, input, options);
  }

  /**
   * Change the name or the description of a collection.
   *
   * Members that are not sent stay as they are.
   */
  updateCollection(
    input: api.UpdateCollectionInput,
    options?: RequestOptions,
  ): Result<api.Collection> {
    return this.data(
      {
        name: 'updateCollection',
        path: '/v1/collections/{id}',
        method: 'PATCH',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Delete a collection.
   *
   * With its shares. Its tracks stay in the catalog.
   */
  deleteCollection(
    input: api.DeleteCollectionInput,
    options?: RequestOptions,
  ): Result<api.DeletedCollection> {
    return this.data(
      { name: 'deleteCollection', path: '/v1/collections/{id}', method: 'DELETE', isWrite: true },
      input,
      options,
    );
  }

  /**
   * Page through a collection.
   *
   * In the order of the collection. Tracks that were taken down are omitted and not counted; they keep their place.
   */
  listCollectionTracks(
    input: api.ListCollectionTracksInput,
    options?: RequestOptions,
  ): PageResult<api.PlacedTrackPage, api.PlacedTrack> {
    return this.page(
      { name: 'listCollectionTracks', path: '/v1/collections/{id}/tracks' },
      input,
      options,
    );
  }

  /**
   * Add tracks to a collection.
   *
   * At the end, or so that the first gets `position`. Tracks that are in the collection stay where they are. Needs no `If-Match`: additions of several editors do not conflict. Other tracks are added if some are unknown.
   */
  addCollectionItems(
    input: api.AddCollectionItemsInput,
    options?: RequestOptions,
  ): Result<api.CollectionAdditionResult> {
    return this.data(
      {
        name: 'addCollectionItems',
        path: '/v1/collections/{id}/items',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Replace or reorder the tracks of a collection.
   *
   * All or nothing. The list replaces the tracks that `GET /v1/collections/{id}/tracks` shows; those that were taken down stay, behind the last. A note that is not sent is kept.
   */
  replaceCollectionItems(
    input: api.ReplaceCollectionItemsInput,
    options?: RequestOptions,
  ): Result<api.Collection> {
    return this.data(
      {
        name: 'replaceCollectionItems',
        path: '/v1/collections/{id}/items',
        method: 'PUT',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Remove tracks from a collection.
   *
   * By slug or id; a track that was taken down by its id. Needs no `If-Match`: removals of several editors do not conflict.
   */
  removeCollectionItems(
    input: api.RemoveCollectionItemsInput,
    options?: RequestOptions,
  ): Result<api.CollectionRemovalResult> {
    return this.data(
      {
        name: 'removeCollectionItems',
        path: '/v1/collections/{id}/items/remove',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Change the note or the place of a track in a collection.
   *
   * The other tracks keep their order.
   */
  updateCollectionItem(
    input: api.UpdateCollectionItemInput,
    options?: RequestOptions,
  ): Result<api.Collection> {
    return this.data(
      {
        name: 'updateCollectionItem',
        path: '/v1/collections/{id}/items/{trackId}',
        reserved: { trackId: ['remove'] },
        method: 'PATCH',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Share a collection with another client of your account.
   *
   * The client can read the collection in the mode of your token, and cannot change it. A repeated request changes nothing.
   */
  shareCollection(input: api.ShareCollectionInput, options?: RequestOptions): Result<api.Share> {
    return this.data(
      {
        name: 'shareCollection',
        path: '/v1/collections/{id}/shares/{clientId}',
        method: 'PUT',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * End the share of a collection.
   *
   * The client can no longer read the collection, also if it has left the account and comes back.
   */
  unshareCollection(
    input: api.UnshareCollectionInput,
    options?: RequestOptions,
  ): Result<api.DeletedShare> {
    return this.data(
      {
        name: 'unshareCollection',
        path: '/v1/collections/{id}/shares/{clientId}',
        method: 'DELETE',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * List the clients with whom a collection is shared.
   *
   * By name; clients that have left the account come last. Only for the owner.
   */
  listCollectionShares(
    input: api.ListCollectionSharesInput,
    options?: RequestOptions,
  ): Result<api.CollectionShares> {
    return this.data(
      { name: 'listCollectionShares', path: '/v1/collections/{id}/shares' },
      input,
      options,
    );
  }

  /**
   * Make a link to a collection.
   *
   * Everybody who has the `url` can see, hear and comment on the tracks of the collection, without credentials, until the link ends: 30 days from now by default. A collection has 50 live links at most. Only for the owner.
   */
  createCollectionLink(
    input: api.CreateCollectionLinkInput,
    options?: RequestOptions,
  ): Result<api.CollectionLink> {
    return this.data(
      {
        name: 'createCollectionLink',
        path: '/v1/collections/{id}/links',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * List the links to a collection.
   *
   * With those that ended in the last 30 days. Newest first. Only for the owner.
   */
  listCollectionLinks(
    input: api.ListCollectionLinksInput,
    options?: RequestOptions,
  ): PageResult<api.CollectionLinkPage, api.CollectionLink> {
    return this.page(
      { name: 'listCollectionLinks', path: '/v1/collections/{id}/links' },
      input,
      options,
    );
  }

  /**
   * Read a link to a collection.
   *
   * Also one that ended in the last 30 days.
   */
  showCollectionLink(
    input: api.ShowCollectionLinkInput,
    options?: RequestOptions,
  ): Result<api.CollectionLink> {
    return this.data(
      { name: 'showCollectionLink', path: '/v1/collections/{id}/links/{linkId}' },
      input,
      options,
    );
  }

  /**
   * Change a link to a collection.
   *
   * Members that are not sent stay as they are. From `full` to `preview`, the stream URLs that guests have end within a second. A new password, or null, locks out the guests who entered the former one. A link that has ended cannot be changed.
   */
  updateCollectionLink(
    input: api.UpdateCollectionLinkInput,
    options?: RequestOptions,
  ): Result<api.CollectionLink> {
    return this.data(
      {
        name: 'updateCollectionLink',
        path: '/v1/collections/{id}/links/{linkId}',
        method: 'PATCH',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * End a link to a collection.
   *
   * Within a second, neither the page nor the URLs of its tracks work. You can read the link, with what guests wrote, for another 30 days.
   */
  deleteCollectionLink(
    input: api.DeleteCollectionLinkInput,
    options?: RequestOptions,
  ): Result<api.DeletedCollectionLink> {
    return this.data(
      {
        name: 'deleteCollectionLink',
        path: '/v1/collections/{id}/links/{linkId}',
        method: 'DELETE',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * List what guests of a link wrote.
   *
   * Newest first. The texts come from strangers: escape them where you show them.
   */
  listLinkComments(
    input: api.ListLinkCommentsInput,
    options?: RequestOptions,
  ): PageResult<api.LinkCommentPage, api.LinkComment> {
    return this.page(
      { name: 'listLinkComments', path: '/v1/collections/{id}/links/{linkId}/comments' },
      input,
      options,
    );
  }

  /**
   * Delete a comment of a guest.
   *
   * It disappears from the page of the link.
   */
  deleteLinkComment(
    input: api.DeleteLinkCommentInput,
    options?: RequestOptions,
  ): Result<api.DeletedLinkComment> {
    return this.data(
      {
        name: 'deleteLinkComment',
        path: '/v1/collections/{id}/links/{linkId}/comments/{commentId}',
        method: 'DELETE',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Read a shared collection as a guest.
   *
   * What the page of a link shows, without credentials: the collection with its live tracks in order. While the link has a password that the guest has not entered, the response is 401 without `WWW-Authenticate`. A token that is unknown, and one of a link that has ended, get the same 404.
   */
  readShared(
    input: api.ReadSharedInput,
    options?: RequestOptions,
  ): PageResult<api.SharedCollection, api.SharedItem> {
    return this.page(
      { name: 'readShared', path: '/v1/shared/{token}', isPublic: true },
      input,
      options,
    );
  }

  /**
   * Enter the password of a link.
   *
   * The response sets a cookie with which this browser opens the link for 12 hours. After 10 wrong passwords in a minute from one address, or 100 in an hour, further ones are not checked.
   */
  unlockShared(input: api.UnlockSharedInput, options?: RequestOptions): Result<api.UnlockedLink> {
    return this.data(
      {
        name: 'unlockShared',
        path: '/v1/shared/{token}/unlock',
        method: 'POST',
        body: 'json',
        isPublic: true,
      },
      input,
      options,
    );
  }

  /**
   * Approve of a track as a guest, or pass on it.
   *
   * Replaces the earlier vote of the guest for the track; null removes it. A link has 1,000 guests at most.
   */
  voteShared(input: api.VoteSharedInput, options?: RequestOptions): Result<api.SharedVotes> {
    return this.data(
      {
        name: 'voteShared',
        path: '/v1/shared/{token}/votes/{trackId}',
        method: 'PUT',
        body: 'json',
        isPublic: true,
      },
      input,
      options,
    );
  }

  /**
   * Comment on a track as a guest.
   *
   * Everybody with the link sees the comment. A link has 500 comments at most. 403 if the owner has switched comments off.
   */
  commentShared(input: api.CommentSharedInput, options?: RequestOptions): Result<api.LinkComment> {
    return this.data(
      {
        name: 'commentShared',
        path: '/v1/shared/{token}/comments',
        method: 'POST',
        body: 'json',
        isPublic: true,
      },
      input,
      options,
    );
  }

  /**
   * Read what a quote may request.
   *
   * The media, territories, terms and audiences that are for sale to you, without prices: `POST /v1/quotes` computes them.
   */
  readRateCard(options?: RequestOptions): Result<api.RateCard> {
    return this.data({ name: 'readRateCard', path: '/v1/rate-card' }, {}, options);
  }

  /**
   * Request a quote.
   *
   * For up to 100 tracks. The price stays as it is until `expiresAt`. A quote reserves nothing: a track may be taken down, or be licensed exclusively to others, until the license is issued. If one of the tracks is not for sale for this use, nothing is quoted (409), and `details` names all such tracks.
   */
  createQuote(input: api.CreateQuoteInput, options?: RequestOptions): Result<api.Quote> {
    return this.data(
      { name: 'createQuote', path: '/v1/quotes', method: 'POST', body: 'json', isWrite: true },
      input,
      options,
    );
  }

  /**
   * List quotes.
   *
   * Yours, newest first. A quote that was not licensed is deleted 400 days after it has expired.
   */
  listQuotes(
    input: api.ListQuotesInput = {},
    options?: RequestOptions,
  ): PageResult<api.QuotePage, api.Quote> {
    return this.page({ name: 'listQuotes', path: '/v1/quotes' }, input, options);
  }

  /**
   * Read a quote.
   *
   * One of yours in this mode.
   */
  showQuote(input: api.ShowQuoteInput, options?: RequestOptions): Result<api.Quote> {
    return this.data({ name: 'showQuote', path: '/v1/quotes/{id}' }, input, options);
  }

  /**
   * Buy the license of a quote.
   *
   * A quote buys one license, however often and in parallel this is requested: repeated with the same `termsVersion` and `licensee`, it returns that license with 200, also after the quote has expired. Refused with 409 if the terms are not those of the quote, or a track was taken down, licensed to others, or may no longer be licensed in a territory.
   */
  createLicense(input: api.CreateLicenseInput, options?: RequestOptions): Result<api.License> {
    return this.data(
      { name: 'createLicense', path: '/v1/licenses', method: 'POST', body: 'json', isWrite: true },
      input,
      options,
    );
  }

  /**
   * List licenses.
   *
   * Yours, the last issued first. A client may request 4 pages at a time.
   */
  listLicenses(
    input: api.ListLicensesInput = {},
    options?: RequestOptions,
  ): PageResult<api.LicensePage, api.License> {
    return this.page({ name: 'listLicenses', path: '/v1/licenses' }, input, options);
  }

  /**
   * Read a license.
   *
   * One of yours in this mode.
   */
  showLicense(input: api.ShowLicenseInput, options?: RequestOptions): Result<api.License> {
    return this.data({ name: 'showLicense', path: '/v1/licenses/{number}' }, input, options);
  }

  /**
   * Get the files of a license.
   *
   * Signed URLs of the audio of an active license, valid for 30 minutes, for at most 500 files. Each file carries its license in its tags, and the audio as it was delivered, or in the format. A test license gives clips of 30 seconds as MP3. Repeated with the same `Idempotency-Key`, URLs are signed anew. Refused with 409 if the license is not active, or one of the tracks cannot be delivered; `details` names these.
   */
  createDownloads(
    input: api.CreateDownloadsInput,
    options?: RequestOptions,
  ): Result<api.LicensedFiles> {
    return this.data(
      {
        name: 'createDownloads',
        path: '/v1/licenses/{number}/downloads',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * List the downloads of a license.
   *
   * Each file counts once a day in UTC. The latest first.
   */
  listDownloads(
    input: api.ListDownloadsInput,
    options?: RequestOptions,
  ): PageResult<api.LicenseDownloadPage, api.LicenseDownload> {
    return this.page(
      { name: 'listDownloads', path: '/v1/licenses/{number}/downloads' },
      input,
      options,
    );
  }

  /**
   * Download the certificate of a license.
   *
   * The compact JWS (RFC 7515) that `certificate` of the license contains, and nothing else. `/.well-known/jwks.json` has the keys that verify it.
   */
  readCertificate(input: api.ReadCertificateInput, options?: RequestOptions): Result<string> {
    return this.text(
      { name: 'readCertificate', path: '/v1/licenses/{number}/certificate' },
      input,
      options,
    );
  }

  /**
   * Download a license as a PDF.
   *
   * The license and its price for people, with the certificate attached as `certificate.jws`. The bytes of a license are always the same. A name with characters outside of the Latin, Greek and Cyrillic scripts is printed in Latin letters, with the ISRC or the id of the track.
   */
  readCertificatePdf(
    input: api.ReadCertificatePdfInput,
    options?: RequestOptions,
  ): Result<Uint8Array> {
    return this.bytes(
      { name: 'readCertificatePdf', path: '/v1/licenses/{number}/certificate.pdf' },
      input,
      options,
    );
  }

  /**
   * Verify a license by its number.
   *
   * For everyone who holds a certificate: whether the license is in force now, and what it covers. A certificate alone cannot tell whether the license was revoked. After 30 unknown numbers in a minute, an address gets 429 for further ones.
   */
  verifyLicense(
    input: api.VerifyLicenseInput,
    options?: RequestOptions,
  ): Result<api.LicenseVerification> {
    return this.data(
      { name: 'verifyLicense', path: '/v1/licenses/{number}/verify', isPublic: true },
      input,
      options,
    );
  }

  /**
   * Register a webhook.
   *
   * From now on, changes of the given types are sent to the URL. The response shows the secret of its signatures, which is not shown again. A client has 10 webhooks at most in each mode.
   */
  createWebhook(input: api.CreateWebhookInput, options?: RequestOptions): Result<api.NewWebhook> {
    return this.data(
      { name: 'createWebhook', path: '/v1/webhooks', method: 'POST', body: 'json', isWrite: true },
      input,
      options,
    );
  }

  /**
   * List webhooks.
   *
   * Those of the mode of the token, newest first.
   */
  listWebhooks(
    input: api.ListWebhooksInput = {},
    options?: RequestOptions,
  ): PageResult<api.WebhookPage, api.Webhook> {
    return this.page({ name: 'listWebhooks', path: '/v1/webhooks' }, input, options);
  }

  /**
   * Read a webhook.
   *
   * Without its secrets.
   */
  showWebhook(input: api.ShowWebhookInput, options?: RequestOptions): Result<api.Webhook> {
    return this.data({ name: 'showWebhook', path: '/v1/webhooks/{id}' }, input, options);
  }

  /**
   * Change, disable or enable a webhook.
   *
   * Members that are not sent stay as they are. Messages that are waiting go to a new `url`. One on another host needs `authorization`, too, if the webhook has one; otherwise the response is 409 `conflict`. While a webhook is disabled, changes are not sent; once it is enabled, it gets those from then on. One that the licensor disabled gets 409 `conflict`.
   */
  updateWebhook(input: api.UpdateWebhookInput, options?: RequestOptions): Result<api.Webhook> {
    return this.data(
      {
        name: 'updateWebhook',
        path: '/v1/webhooks/{id}',
        method: 'PATCH',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Delete a webhook.
   *
   * With its deliveries. Messages that are waiting are not sent.
   */
  deleteWebhook(
    input: api.DeleteWebhookInput,
    options?: RequestOptions,
  ): Result<api.DeletedWebhook> {
    return this.data(
      { name: 'deleteWebhook', path: '/v1/webhooks/{id}', method: 'DELETE', isWrite: true },
      input,
      options,
    );
  }

  /**
   * Replace the secret of a webhook.
   *
   * For 24 hours, messages are signed with the former secret, too, so that you can change your server in between. A fourth rotation within this time gets 409 `conflict`, unless it revokes all earlier secrets.
   */
  rotateSecret(input: api.RotateSecretInput, options?: RequestOptions): Result<api.RotatedSecret> {
    return this.data(
      {
        name: 'rotateSecret',
        path: '/v1/webhooks/{id}/rotate-secret',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Send a ping.
   *
   * A message of the type `webhook.ping`, whatever `eventTypes` contains.
   */
  pingWebhook(
    input: api.PingWebhookInput,
    options?: RequestOptions,
  ): Result<api.WebhookDeliveryId> {
    return this.data(
      {
        name: 'pingWebhook',
        path: '/v1/webhooks/{id}/ping',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Send a message as if something had changed.
   *
   * Only in test mode; in live mode, the response is 409 `conflict`. `data.simulated` of the message is true. The type need not be one of `eventTypes`.
   */
  simulateWebhook(
    input: api.SimulateWebhookInput,
    options?: RequestOptions,
  ): Result<api.WebhookDeliveryId> {
    return this.data(
      {
        name: 'simulateWebhook',
        path: '/v1/webhooks/{id}/simulate',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * List the deliveries to a webhook.
   *
   * The messages of the last 30 days, newest first.
   */
  listWebhookDeliveries(
    input: api.ListWebhookDeliveriesInput,
    options?: RequestOptions,
  ): PageResult<api.WebhookDeliveryPage, api.WebhookDelivery> {
    return this.page(
      { name: 'listWebhookDeliveries', path: '/v1/webhooks/{id}/deliveries' },
      input,
      options,
    );
  }

  /**
   * Read a delivery.
   *
   * With the message and how your server responded to each attempt.
   */
  showWebhookDelivery(
    input: api.ShowWebhookDeliveryInput,
    options?: RequestOptions,
  ): Result<api.WebhookDeliveryDetail> {
    return this.data(
      { name: 'showWebhookDelivery', path: '/v1/webhooks/{id}/deliveries/{deliveryId}' },
      input,
      options,
    );
  }

  /**
   * Send a message again.
   *
   * With the same `webhook-id` and content; the attempts begin anew. A delivery that is pending gets 409 `conflict`.
   */
  replayWebhookDelivery(
    input: api.ReplayWebhookDeliveryInput,
    options?: RequestOptions,
  ): Result<api.WebhookDeliveryId> {
    return this.data(
      {
        name: 'replayWebhookDelivery',
        path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Send the messages of a time again.
   *
   * Those that were created from `from` to `to`, both included, after your server was not available. Deliveries that are pending are left out.
   */
  replayWebhook(input: api.ReplayWebhookInput, options?: RequestOptions): Result<api.ReplayResult> {
    return this.data(
      {
        name: 'replayWebhook',
        path: '/v1/webhooks/{id}/replay',
        method: 'POST',
        body: 'json',
        isWrite: true,
      },
      input,
      options,
    );
  }

  /**
   * Read the keys of certificates.
   *
   * A JSON Web Key Set (RFC 7517) with the public keys of the certificates of licenses. The set is also beside `data`, where libraries expect it. Keys stay in it forever.
   */
  readLicenseKeys(options?: RequestOptions): Result<api.LicenseKeySet> {
    return this.data(
      { name: 'readLicenseKeys', path: '/.well-known/jwks.json', isPublic: true },
      {},
      options,
    );
  }

  /**
   * Read the keys of test certificates.
   *
   * As `/.well-known/jwks.json`, for the certificates of test licenses. Software that relies on licenses must not use it.
   */
  readTestLicenseKeys(options?: RequestOptions): Result<api.LicenseKeySet> {
    return this.data(
      { name: 'readTestLicenseKeys', path: '/.well-known/jwks-test.json', isPublic: true },
      {},
      options,
    );
  }
}
