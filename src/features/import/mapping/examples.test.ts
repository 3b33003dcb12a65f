import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planCatalog } from '../plan.ts';
import { readCatalog } from '../read-catalog.ts';
import { isImportRecord } from '../record.ts';
import { RowGroups } from './grouping.ts';
import { loadMapping } from './load.ts';
import { keyText } from './rule.ts';

const GUIDE = await readFile(
  fileURLToPath(new URL('../../../../docs/import.md', import.meta.url)),
  'utf8',
);

/** An example of the guide: a delivery of several files, a mapping, and the records. */
interface Example {
  files: { name: string; text: string }[];
  mapping: string;
  records: unknown;
}

/** Returns the examples whose files have names: the first file is the catalog. */
function examplesOf(guide: string): Example[] {
  return guide
    .split('\nFor this delivery:\n')
    .slice(1)
    .map((text) => {
      const files = [...text.matchAll(/`([\w.-]+)`:\n\n```\w+\n(.*?)```/gs)].map(
        ([, name, body]) => ({ name: name!, text: body! }),
      );
      const records = /produces these records[^`]*```json\n(.*?)```/s.exec(text)![1]!;
      const mapping = files.find((file) => text.includes(`the mapping \`${file.name}\``))!;
      return { files, mapping: mapping.name, records: JSON.parse(records) };
    });
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-examples-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Returns the import records of a file, as the import makes them. */
async function recordsOf(path: string, mapFile: string): Promise<unknown[]> {
  const mapping = await loadMapping(mapFile);
  const plan = await planCatalog({ path, file: path }, mapping);
  if (!('format' in plan)) {
    throw new Error(plan.reason);
  }
  const { group } = mapping.mapping;
  const groups = group === undefined ? undefined : new RowGroups(group);
  const records: unknown[] = [];
  for await (const batch of readCatalog(plan)) {
    for (const { value, position, sizeBytes } of batch) {
      const record = mapping.toRecord(value as object);
      if (groups === undefined) {
        records.push(record);
        continue;
      }
      const key = keyText(mapping.groupKey!(value as object));
      const rows = groups.add({ position, key, record, sizeBytes, problem: null });
      records.push(...(rows === undefined ? [] : [rows.record]));
    }
  }
  return [...records, ...[...(groups?.end(1) ?? [])].flat().map((rows) => rows.record)];
}

describe('the guide', () => {
  const examples = examplesOf(GUIDE);

  it('has an example of each part of the language that needs more than one rule', () => {
    expect(examples.map(({ mapping }) => mapping)).toEqual([
      'acme.json',
      'writers.json',
      'songs.json',
      'deals.json',
    ]);
  });

  it.each(examples)('makes the records that it shows with $mapping', async (example) => {
    for (const { name, text } of example.files) {
      await writeFile(join(folder, name), text);
    }
    const catalog = join(folder, example.files[0]!.name);
    const records = await recordsOf(catalog, join(folder, example.mapping));
    expect(JSON.parse(JSON.stringify(records))).toEqual(example.records);
    expect(records.every(isImportRecord)).toBe(true);
  });
});
