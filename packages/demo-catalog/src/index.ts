export { type RenderedTrack, renderTracks, renderWav } from './render.ts';
export { type CatalogTrack, type EffectTrack, type MusicTrack, TRACKS } from './tracks.ts';
