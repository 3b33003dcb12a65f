import { offerToStarter } from '../../common/threads/calls.ts';
import { indexOf } from './guide-index.ts';
import { ALL_GUIDES, readGuide } from './guide-text.ts';

offerToStarter({ make: async () => indexOf(await Promise.all(ALL_GUIDES.map(readGuide))) });
