import { describe, expect, it } from 'vitest';
import { install, renderBriefly } from './import-demo.test-support.ts';
import { DEMO_PLAYLISTS } from './offer.ts';
import { DEMO_TRACKS } from './tracks.ts';

const LANGUAGES = ['de', 'ja'];

describe('the demo', () => {
  it('has German and Japanese names of all tracks, filters and playlists', async () => {
    const demo = await install(renderBriefly);
    await demo.load();
    const { languages, catalog } = demo.store;
    for (const { id, name } of DEMO_TRACKS) {
      const { language, texts } = (await languages.textsOfTrack(id, LANGUAGES))!;
      const { track } = (await catalog.trackRecord(id))!;
      expect(language).toBe('en');
      expect(texts.map((text) => text.language).sort(), name).toEqual(LANGUAGES);
      for (const text of texts) expect(text.tags).toHaveLength(track.tags.length);
    }
    const named = (await languages.filterNames()).map(({ filterId, language }) =>
      [filterId, language].join(),
    );
    const all = (await catalog.filters()).flatMap(({ id }) =>
      LANGUAGES.map((language) => [id, language].join()),
    );
    expect(named.sort()).toEqual(all.sort());
    const playlists = DEMO_PLAYLISTS.map(({ id }) => id);
    for (const texts of (await languages.playlistTexts(playlists, LANGUAGES)).values()) {
      expect(texts.map(({ language }) => language).sort()).toEqual(LANGUAGES);
      for (const { description } of texts) expect(description).not.toBeNull();
    }
    await demo.close();
  });
});
