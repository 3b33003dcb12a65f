import { offerToStarter } from '../../common/threads/calls.ts';
import { indexOf } from './guide-index.ts';
import { ALL_GUIDES } from './guide-links.ts';
import { readGuide } from './guide-text.ts';

offerToStarter({ make: async () => indexOf(await Promise.all(ALL_GUIDES.map(readGuide))) });
