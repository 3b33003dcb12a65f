/** One row of the report: what was measured, the figure, and the goal. */
export interface Row {
  what: string;
  /** The number of tracks of the catalog, if it matters. */
  at?: string;
  figure: string;
  goal: string;
}

/** A table of the report. */
export interface Table {
  title: string;
  /** One or two sentences of explanation. */
  note: string;
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Returns a table in Markdown, with its heading. */
export function markdown({ title, note, header, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `## ${title}`,
    '',
    ...(note === '' ? [] : [note, '']),
    line(header),
    `|${'---|'.repeat(header.length)}`,
    ...rows.map(line),
    '',
  ].join('\n');
}

/** Returns the rows as a table. */
export function tableOf(title: string, rows: readonly Row[], note = ''): Table {
  const hasSizes = rows.some(({ at }) => at !== undefined);
  return {
    title,
    note,
    header: ['what', ...(hasSizes ? ['at'] : []), 'measured', 'goal'],
    rows: rows.map(({ what, at, figure, goal }) => [
      what,
      ...(hasSizes ? [at ?? ''] : []),
      figure,
      goal,
    ]),
  };
}
