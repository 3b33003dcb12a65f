import { counted } from '../../../common/text/counted.ts';
import type { Explanation } from '../../../features/import/explain/explain.ts';
import { number } from '../pages/format.ts';
import { type Html, html } from '../pages/html.ts';
import { badge, card, facts, table } from '../pages/parts.ts';

const MAX_EXAMPLE = 200;

/** Shows how an import reads a file, as `stave import --explain` does. */
export function explanationCards(explanation: Explanation): Html {
  const {
    path,
    facts: recognized,
    records,
    isWhole,
    first,
    rejected,
    unused,
    unread,
    notes,
  } = explanation;
  return html`${card(
    `How ${path.slice(path.lastIndexOf('/') + 1)} is read`,
    html`${facts(recognized.map(({ what, is }) => [what, is]))}<p>${isWhole ? `All ${counted(records, 'record')} were read.` : `The first ${counted(records, 'record')} were read; the counts are those of them.`}</p>`,
  )}
${card(
  'The first tracks that an import would store',
  html`${first.map(
    ({ file, line, track, rejection }) =>
      html`<details${first.length === 1 && html` open`}><summary>${line === null ? file : `Record ${line}`} ${rejection === null ? shown((track as { name?: unknown }).name) : badge('rejected', 'bad')}</summary>${
        rejection === null
          ? facts(Object.entries(track!).map(([name, value]) => [name, shown(value)]))
          : html`<p>${rejection.field} ${rejection.reason}</p>`
      }</details>`,
  )}`,
)}
${card(
  'Rejected records',
  table(
    'Rejected records',
    [
      'Field',
      'Reason',
      { title: 'Records', isNumber: true },
      { title: 'First line', isNumber: true },
    ],
    rejected.map(({ field, reason, records: count, line }) => [field, reason, number(count), line]),
    'None of the records that were read.',
  ),
)}
${
  unread.length > 0 &&
  card(
    'Values of which a rule makes nothing',
    table(
      'Values of which a rule makes nothing',
      ['Rule', 'Member', { title: 'Records', isNumber: true }, 'Example'],
      unread.map(({ rule, member, records: count, example }) => [
        rule,
        member,
        number(count),
        shown(example),
      ]),
    ),
  )
}
${
  unused.length > 0 &&
  card(
    'Members that nothing uses',
    table(
      'Members that nothing uses',
      ['Member', { title: 'Records', isNumber: true }, 'Example'],
      unused.map(({ member, records: count, example }) => [member, number(count), shown(example)]),
    ),
  )
}
${notes.length > 0 && card('Notes', html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`)}`;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_EXAMPLE ? `${text.slice(0, MAX_EXAMPLE - 1).toWellFormed()}…` : text;
}
