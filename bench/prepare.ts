/**
 * `node bench/prepare.ts FOLDER SIZE…` creates and imports catalogs in advance for `npm run bench -- --keep
 * FOLDER`, and prints the time of each import.
 */
import { fileURLToPath } from 'node:url';
import { benchData } from './search/data-folder.ts';

const [folder, ...sizes] = process.argv.slice(2);
const dataFolder = fileURLToPath(new URL('../../shared/data', import.meta.url));
for (const size of sizes) {
  const { imported } = await benchData({ folder: folder!, dataFolder, tracks: Number(size) });
  process.stdout.write(`${size}: ${JSON.stringify(imported ?? 'existed')}\n`);
}
