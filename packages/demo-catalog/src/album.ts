import type { Style } from './compose/compose.ts';
import type { ModeName } from './compose/harmony.ts';
import { AMBIENT, CHORAL, FOLK, MUSIC_BOX, SOLO_PIANO } from './styles/calm.ts';
import { CHIPTUNE, HOUSE, SYNTHWAVE, TRAP } from './styles/electric.ts';
import { BOSSA, DUB, FUNK, JAZZ, LOFI } from './styles/groove.ts';
import { CINEMATIC, UPLIFTING } from './styles/screen.ts';

/**
 * The music, one track per line. The key is tonic and mode, `days` is the age of the release, and
 * artists are `Name` (main artist) or `ROLE:Name`, of which the first one is primary.
 *
 * name | style | key | bpm | time | bars | days | region | flags | genres | moods | use-cases |
 * tags | artists
 */
const ALBUM = `
Harbour at First Light | ambient | D lydian | 58 | 4/4 | 7 | 12 | WORLD | - | Ambient | Calm, Hopeful | Meditation, Documentary | slow, drone, water | Ines Vardal
Paper Boats | solo piano | F major | 84 | 4/4 | 9 | 40 | WORLD | PRO | Classical, Piano | Tender, Nostalgic | Film, Wedding | solo, felt piano | Ines Vardal, COMPOSER:Tomas Reuel
Rooftop Cassette | lofi | Eb major | 78 | 4/4 | 7 | 3 | WORLD | - | Lo-Fi, Hip-Hop | Relaxed, Nostalgic | Study, Podcast | tape, vinyl, beats | Kite Season
Neon Causeway | synthwave | A minor | 104 | 4/4 | 11 | 75 | WORLD | - | Synthwave, Electronic | Driving, Nostalgic | Gaming, Trailer | 80s, night, retro | Voltage Garden, PRODUCER:Mara Oyelaran
Seventh Street Stroll | jazz | Bb major | 132 | 4/4 | 9 | 410 | EU | - | Jazz | Relaxed, Playful | Restaurant, Podcast | swing, trio, vibraphone | The Lamplight Trio
Night Bus Home | lofi | A dorian | 72 | 4/4 | 7 | 21 | WORLD | vocals | Lo-Fi | Melancholic, Calm | Study, Vlog | late night, rain, beats | Kite Season, FEATURED_ARTIST:Ada Lindqvist
The Cartographer | cinematic | D minor | 96 | 4/4 | 9 | 160 | WORLD | PRO | Cinematic, Orchestral | Epic, Tense | Trailer, Film | strings, drums, adventure | Orsolya Bek, PERFORMER:North Hall Orchestra
Copper Kettle Reel | folk | G major | 112 | 4/4 | 9 | 95 | WORLD | - | Folk, Acoustic | Happy, Playful | Vlog, Advertising | guitar, flute, whistle | Fenwick & Rowe
Basement Sunrise | house | A minor | 122 | 4/4 | 11 | 6 | WORLD | vocals | House, Electronic | Energetic, Happy | Fashion, Sport | club, dance, four on the floor | Mara Oyelaran, FEATURED_ARTIST:Ada Lindqvist
Level Select | chiptune | C major | 150 | 4/4 | 9 | 230 | WORLD | - | Chiptune, Electronic | Playful, Energetic | Gaming | 8-bit, retro, arcade | Pixel Orchard
Lullaby for a Clockmaker | music box | G major | 96 | 3/4 | 9 | 300 | WORLD | - | Classical, Children | Tender, Calm | Children, Advertising | music box, waltz, lullaby | Tomas Reuel
Praia do Vento | bossa | D major | 128 | 4/4 | 9 | 52 | BR | vocals | Bossa Nova, Jazz | Relaxed, Romantic | Restaurant, Travel | nylon guitar, flute, beach | Joana Prado, LYRICIST:Caio Menezes
Glass Elevator | trap | F# minor | 140 | 4/4 | 9 | 9 | WORLD | - | Hip-Hop, Trap | Dark, Tense | Sport, Gaming | 808, bells, half-time | Nullpoint
Evensong | choral | E major | 66 | 4/4 | 6 | 1200 | GB | vocals,PRO | Choral, Classical | Solemn, Hopeful | Film, Documentary | choir, organ, sacred | Orsolya Bek, PERFORMER:Saint Alban Voices
Slow Current | dub | A minor | 74 | 4/4 | 7 | 130 | JM | - | Dub, Reggae | Relaxed, Dark | Travel, Podcast | bass, echo, organ | Deep Sound Cartel, REMIXER:Nullpoint
Corner Office | uplifting | C major | 118 | 4/4 | 9 | 28 | WORLD | - | Pop, Corporate | Happy, Hopeful | Advertising, Corporate | claps, marimba, bright | Brightside Works
Two-Dollar Telescope | funk | E dorian | 106 | 4/4 | 9 | 62 | WORLD | - | Funk | Energetic, Playful | Sport, Advertising | brass, slap, groove | The Meridian Six, PRODUCER:Mara Oyelaran
Salt Road | folk | A dorian | 88 | 4/4 | 7 | 780 | WORLD | vocals | Folk, World | Melancholic, Hopeful | Documentary, Travel | guitar, journey, voice | Fenwick & Rowe, FEATURED_ARTIST:Ada Lindqvist
Aurora Engine | synthwave | F minor | 92 | 4/4 | 9 | 17 | WORLD | - | Synthwave, Ambient | Epic, Driving | Science, Trailer | space, arpeggio, wide | Voltage Garden
Midnight Snow | ambient | Ab major | 54 | 4/4 | 5 | 365 | WORLD | vocals | Ambient, Cinematic | Melancholic, Calm | Film, Meditation | winter, sparse, bells | Ines Vardal, FEATURED_ARTIST:Saint Alban Voices
A Night in the Lobby | jazz | F major | 116 | 4/4 | 9 | 140 | WORLD | - | Jazz, Lounge | Romantic, Relaxed | Restaurant, Fashion | swing, evening, cool | The Lamplight Trio, COMPOSER:Tomas Reuel
Waltz of the Paper Moon | solo piano | E harmonic minor | 102 | 3/4 | 9 | 510 | WORLD | PRO | Classical, Piano | Romantic, Melancholic | Film, Theater | waltz, solo, moonlight | Tomas Reuel
Overclock | chiptune | A minor | 168 | 4/4 | 9 | 33 | WORLD | - | Chiptune | Energetic, Tense | Gaming, Sport | 8-bit, boss fight, fast | Pixel Orchard, REMIXER:Nullpoint
Ten Thousand Lanterns | cinematic | G minor | 84 | 4/4 | 20 | 1 | WORLD | vocals | Cinematic, World | Hopeful, Epic | Film, Advertising | choir, build, finale | Orsolya Bek, PERFORMER:North Hall Orchestra, PUBLISHER:Longwater Editions
`;

const STYLES: Readonly<Record<string, Style>> = {
  ambient: AMBIENT,
  bossa: BOSSA,
  chiptune: CHIPTUNE,
  choral: CHORAL,
  cinematic: CINEMATIC,
  dub: DUB,
  folk: FOLK,
  funk: FUNK,
  house: HOUSE,
  jazz: JAZZ,
  lofi: LOFI,
  'music box': MUSIC_BOX,
  'solo piano': SOLO_PIANO,
  synthwave: SYNTHWAVE,
  trap: TRAP,
  uplifting: UPLIFTING,
};

/** How the catalog describes music and sound effects. */
export interface Described {
  name: string;
  genres: readonly string[];
  moods: readonly string[];
  useCases: readonly string[];
  tags: readonly string[];
  releasedDaysAgo: number;
}

/** One line of the album. */
export interface AlbumTrack extends Described {
  style: Style;
  tonic: string;
  mode: ModeName;
  /** Beats per minute. */
  tempo: number;
  timeSignature: string;
  bars: number;
  region: string;
  hasVocals: boolean;
  isPRO: boolean;
  artists: { name: string; role: string }[];
}

/** Reads the album. Throws a RangeError for a line with an unknown style. */
export function readAlbum(): AlbumTrack[] {
  return ALBUM.trim()
    .split('\n')
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      const [name, style, key, tempo, timeSignature, bars, days, region, flags, ...lists] = cells;
      const [tonic, ...mode] = key!.split(' ');
      const [genres, moods, useCases, tags, artists] = lists.map((list) => list.split(', '));
      return {
        name: name!,
        style: known(STYLES, style!),
        tonic: tonic!,
        mode: mode.join(' ') as ModeName,
        tempo: Number(tempo),
        timeSignature: timeSignature!,
        bars: Number(bars),
        releasedDaysAgo: Number(days),
        region: region!,
        hasVocals: flags!.includes('vocals'),
        isPRO: flags!.includes('PRO'),
        genres: genres!,
        moods: moods!,
        useCases: useCases!,
        tags: tags!,
        artists: artists!.map(credit),
      };
    });
}

function known<Value>(values: Readonly<Record<string, Value>>, name: string): Value {
  const value = values[name];
  if (value === undefined) {
    throw new RangeError(`the album names ${name}, which does not exist`);
  }
  return value;
}

function credit(text: string): { name: string; role: string } {
  const colon = text.indexOf(':');
  return colon < 0
    ? { name: text, role: 'MAIN_ARTIST' }
    : { name: text.slice(colon + 1), role: text.slice(0, colon) };
}
