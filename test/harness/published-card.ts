import { writeFileSync } from 'node:fs';
import { type Json, staveJson, type TemporaryFolder } from './cli.ts';
import { cardText } from './rate-cards.ts';

/** Publishes the rate card of the tests, with other members, from a file in the folder. */
export async function publishCardFile(
  data: string,
  folder: TemporaryFolder,
  members: Record<string, unknown> = {},
): Promise<Json> {
  writeFileSync(folder.at('card.json'), cardText(members));
  const publish = ['rate-cards', 'publish', folder.at('card.json'), '--allow-missing'];
  return staveJson(data, publish);
}
