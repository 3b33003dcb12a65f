import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TSchema } from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { LicenseRecord } from '../licensing/license-record.ts';
import { trackMaker } from './canonical/track.ts';
import { textDecoding } from './decode/bytes.ts';
import { recordOfRow } from './decode/cells.ts';
import { decodeCsv } from './decode/csv.ts';
import { compileMapping } from './mapping/compile.ts';
import { Mapping, MappingRuleSchema } from './mapping/mapping.ts';
import { parseMapping } from './mapping/parse-mapping.ts';
import { ImportRecord } from './record.ts';

let text: string;
let blocks: { language: string; body: string }[];
beforeAll(async () => {
  text = await readFile(fileURLToPath(new URL('../../../docs/import.md', import.meta.url)), 'utf8');
  blocks = [...text.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language, body]) => ({
    language: language!,
    body: body!,
  }));
});

const block = (language: string, number: number) =>
  blocks.filter((one) => one.language === language)[number]!.body;

/** Returns the rows of the table with these columns. */
function rowsUnder(heading: string, occurrence = 0): string[] {
  let at = -1;
  for (let i = 0; i <= occurrence; i++) {
    at = text.indexOf(heading, at + 1);
  }
  return text.slice(at).split('\n\n', 1)[0]!.trim().split('\n').slice(2);
}

async function firstRow(csv: string, delimiter: string): Promise<object> {
  async function* chunks() {
    yield Buffer.from(csv);
  }
  for await (const [record] of decodeCsv(chunks(), textDecoding(undefined), { delimiter })) {
    return record!.value as object;
  }
  throw new Error('no rows');
}

const documented = (
  properties: Record<string, TSchema & { rule?: string; description?: string }>,
) =>
  Object.entries(properties).map(
    ([member, { rule, description }]) => `| \`${member}\` | ${rule} | ${description} |`,
  );

describe('docs/import.md', () => {
  it('documents the record as its schema does', () => {
    expect(rowsUnder('| Member | Must be | Meaning |')).toEqual(
      documented(ImportRecord.properties),
    );
  });

  it('documents licenses as their schema does', () => {
    expect(rowsUnder('| Member | Must be | Meaning |', 1)).toEqual(
      documented(LicenseRecord.properties),
    );
  });

  it('documents rules as their schema does', () => {
    const rules: Record<string, TSchema & { description?: string }> = MappingRuleSchema.properties;
    expect(rowsUnder('| Part | Meaning |')).toEqual(
      Object.entries(rules).map(([part, { description }]) => `| \`${part}\` | ${description} |`),
    );
  });

  it('names every member of a mapping', () => {
    const named = rowsUnder('| Member | Meaning |').map((row) => row.split('`')[1]);
    const members = Object.keys(Mapping.properties).filter((member) => member !== '$schema');
    expect(named.toSorted()).toEqual(members.toSorted());
  });

  it('shows a valid record', () => {
    expect(trackMaker({ source: 'docs' })(JSON.parse(block('json', 0))).problems).toBeNull();
  });

  it('shows a valid CSV file', async () => {
    const record = recordOfRow((await firstRow(block('csv', 0), ',')) as Record<string, string>);
    const { delivery } = trackMaker({ source: 'docs' })(record);
    expect(delivery).toMatchObject({
      name: 'Night Rain',
      durationSeconds: 184,
      tags: ['rain', 'piano'],
      artists: [
        { name: 'Ann Weir', role: 'MAIN_ARTIST', isPrimary: true },
        { name: 'Bob Low', role: 'COMPOSER', isPrimary: false },
      ],
      filters: [
        { type: 'genre', name: 'Ambient' },
        { type: 'mood', name: 'Calm' },
      ],
    });
  });

  it('shows a mapping that makes the record it shows', async () => {
    const mapping = compileMapping(parseMapping(block('json', 1), 'docs/import.md'));
    const record = mapping.toRecord(await firstRow(block('csv', 1), ';'));
    expect(JSON.parse(JSON.stringify(record))).toEqual(JSON.parse(block('json', 2)));
    expect(trackMaker({ source: 'acme' })(record).problems).toBeNull();
  });
});
