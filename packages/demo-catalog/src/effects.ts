import type { Described } from './album.ts';
import {
  alarm,
  click,
  coin,
  footsteps,
  heartbeat,
  knock,
  laser,
  pageTurn,
  type Recipe,
  rain,
  thunder,
  whoosh,
  wind,
} from './effects/recipes.ts';
import { seededRandom } from './seeded-random.ts';
import { master } from './synth/master.ts';
import type { StereoSound } from './synth/sound.ts';
import { Stage } from './synth/stage.ts';

/** A sound effect: its recipe, and its description in the catalog. */
export interface SoundEffect extends Described {
  recipe: Recipe;
  seconds: number;
}

export const EFFECTS: readonly SoundEffect[] = [
  effect('Whoosh Past', whoosh, 1.4, 'Transition', '', 'Trailer|Gaming', 'air|fast|pass-by', 15),
  effect('Button Click', click, 0.5, 'Interface', '', 'App|Gaming', 'ui|short|mechanical', 4),
  effect(
    'Rain on a Tin Roof',
    rain,
    8,
    'Nature',
    'Calm',
    'Film|Meditation',
    'weather|loop|drops',
    220,
  ),
  effect('Wind over a Ridge', wind, 7, 'Nature', 'Tense', 'Film|Documentary', 'weather|howl', 221),
  effect('Coin Pick-Up', coin, 0.8, 'Game', 'Playful', 'Gaming', 'retro|bonus|8-bit', 90),
  effect('Three Knocks', knock, 1.5, 'Foley', 'Tense', 'Film|Theater', 'door|wood|hand', 61),
  effect('Bedside Alarm', alarm, 3, 'Household', '', 'Film|Advertising', 'clock|beep|morning', 340),
  effect(
    'Distant Thunder',
    thunder,
    7.5,
    'Nature',
    'Dark',
    'Film|Trailer',
    'weather|storm|low',
    219,
  ),
  effect(
    'Footsteps on Gravel',
    footsteps,
    4.3,
    'Foley',
    '',
    'Film|Gaming',
    'walk|stones|outdoors',
    48,
  ),
  effect('Heartbeat', heartbeat, 4.5, 'Human', 'Tense', 'Film|Trailer', 'body|pulse|low', 500),
  effect('Laser Shot', laser, 0.7, 'Game', 'Energetic', 'Gaming', 'sci-fi|weapon|retro', 88),
  effect('Page Turn', pageTurn, 0.9, 'Foley', 'Calm', 'Podcast|App', 'paper|book|soft', 11),
];

/** Renders the sound of an effect. Its name is the seed. */
export function renderEffect({ name, recipe, seconds }: SoundEffect): StereoSound {
  const stage = new Stage(seconds);
  recipe(stage, seconds, seededRandom(name));
  const sound = stage.finish({ echoSeconds: 0.13, roomSize: 0.4 });
  master(sound, { fadeInSeconds: 0.004, fadeOutSeconds: Math.min(1, seconds * 0.25) });
  return sound;
}

function effect(
  name: string,
  recipe: Recipe,
  seconds: number,
  genre: string,
  mood: string,
  useCases: string,
  tags: string,
  releasedDaysAgo: number,
): SoundEffect {
  return {
    name,
    recipe,
    seconds,
    genres: [genre],
    moods: mood === '' ? [] : [mood],
    useCases: useCases.split('|'),
    tags: tags.split('|'),
    releasedDaysAgo,
  };
}
