import { parentPort } from 'node:worker_threads';
import { indexOf } from './guide-index.ts';
import { ALL_GUIDES } from './guide-links.ts';
import { readGuide } from './guide-text.ts';

parentPort!.postMessage(indexOf(await Promise.all(ALL_GUIDES.map(readGuide))));
