import { offerToStarter } from '../../../common/threads/calls.ts';
import { generateArtwork } from './generate.ts';

offerToStarter({ draw: generateArtwork });
