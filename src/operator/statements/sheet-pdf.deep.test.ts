import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { HAS_POPPLER } from '../../../test/harness/poppler.ts';
import type { Sheet } from './sheet.ts';
import { sheetPdf } from './sheet-pdf.ts';

const sheet: Sheet = {
  title: 'Statement of Für Film',
  facts: [['Months', '2026-11, in UTC']],
  tables: [
    {
      title: 'Licenses',
      columns: ['Number', 'Project', '# Amount'],
      rows: Array.from({ length: 60 }, (_, i) => {
        return [`2026-${i}`, i === 3 ? '夜の海' : `Spot ${'long '.repeat(40)}`, 1234 * i];
      }),
      empty: 'no licenses',
      note: '… and 40 more.',
    },
    { title: 'Errors', columns: ['Type', '# Requests'], rows: [], empty: 'no errors' },
  ],
  at: Date.UTC(2026, 10, 29),
};

it.skipIf(!HAS_POPPLER)(
  'prints all rows of a statement, with the heading on each page',
  async () => {
    const input = await sheetPdf(sheet);
    const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input }).toString();
    const pages = text.split('\f').filter((page) => page.trim() !== '');
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages.slice(0, -1)) expect(page).toMatch(/Number +Project +Amount\n/);
    expect(pages[0]).toContain('Statement of Für Film');
    for (let i = 0; i < 60; i++) expect(text).toMatch(new RegExp(`2026-${i} .*[\\d,]+\n`));
    expect(text).toMatch(/2026-3 +YenoHai +3,702\n/);
    expect(text).toMatch(/2026-59 +Spot long .* 72,806\n/);
    expect(text).toContain('… and 40 more.');
    expect(text).toContain('no errors');
    expect(text).toContain(`Page ${pages.length} of ${pages.length}`);
  },
);
