import { OperatorError } from '../../../common/errors.ts';
import {
  EDITABLE_FIELDS,
  type EditableField,
  type EditableTrack,
} from '../../../features/catalog/track-edits.ts';
import { TRACK_TYPES } from '../../../features/catalog/track-values.ts';
import { cellsOf, type EditCells } from '../../../features/import/track-edits.ts';
import { editTrack, findEditable, type ShownEdit } from '../../track-edits.ts';
import { type Html, html, time } from '../pages/html.ts';
import {
  type ConsoleRequest,
  type ConsoleRoute,
  done,
  edit,
  type FormSession,
  type FormValues,
} from '../pages/page.ts';
import {
  allowMissing,
  button,
  field,
  form,
  maySend,
  missingRuleOf,
  select,
  table,
} from '../pages/parts.ts';

const LABELS: Readonly<Record<EditableField, readonly [label: string, hint?: string]>> = {
  name: ['Name', 'The slug stays.'],
  type: ['Type'],
  artists: ['Artists', 'ROLE:Name, separated by |, the primary one first.'],
  filters: ['Filters', 'Such as genre:Ambient|mood:Calm.'],
  tags: ['Tags', 'Separated by |.'],
  isrc: ['ISRC'],
  iswc: ['ISWC'],
  bpm: ['Tempo', 'Beats a minute.'],
  songKey: ['Keys', 'Separated by |.'],
  timeSignature: ['Time signature', 'Such as 3/4.'],
  durationSeconds: ['Length', 'Seconds, or minutes and seconds such as 3:04.'],
  region: ['Region'],
  releaseDate: ['Released', 'Such as 2024-03-08.'],
  hasVocals: ['Vocals', 'yes, or no for an instrumental.'],
  isPRO: ['PRO', 'yes or no.'],
  language: ['Language', 'Of the name and the tags. Empty for that of the catalog.'],
};

export const TRACK_EDIT_ROUTES: readonly ConsoleRoute[] = [
  edit('/tracks/:id/edit', async (request) => {
    const track = await findEditable(request.context.store, request.params.id!);
    return edited(request, track, { cells: changedCells(track, request.form), revert: [] });
  }),
  edit('/tracks/:id/revert', async (request) => {
    const track = await findEditable(request.context.store, request.params.id!);
    const reverted = request.form.get('field');
    const revert = EDITABLE_FIELDS.filter((one) => one === reverted);
    if (revert.length === 0) throw new OperatorError('the form names no field of a track');
    return edited(request, track, { cells: {}, revert });
  }),
];

async function edited(
  { context, form: given }: ConsoleRequest,
  track: EditableTrack,
  change: { cells: EditCells; revert: readonly EditableField[] },
) {
  const rule = missingRuleOf(given);
  const { isChanged } = await editTrack(context, track, { ...change, rule });
  const { name } = track.effective;
  const notice = isChanged
    ? `${name} is changed. It takes effect within a second.`
    : `${name} had these values already.`;
  return done(`/tracks/${track.id}`, notice);
}

/** Returns the cells of a form that differ from the values of the track. If it shows others, its version is stale. */
function changedCells(track: EditableTrack, given: URLSearchParams): EditCells {
  const cells = cellsOf(track);
  const changed = EDITABLE_FIELDS.filter((name) => {
    const sent = given.get(name);
    // A field for one line sends no line breaks.
    return sent !== null && sent !== cells[name].replace(/[\r\n]/g, '');
  });
  return Object.fromEntries(changed.map((name) => [name, given.get(name)!]));
}

export function editForms(
  session: FormSession,
  track: EditableTrack,
  edits: readonly ShownEdit[],
): Html {
  const to = `/tracks/${track.id}`;
  const revert = ({ field: name }: ShownEdit) =>
    button(session, { to: `${to}/revert`, name: 'Revert', fields: { field: name } });
  const shown = table(
    'Edits',
    'Field | Edited to | Delivered | By | When | ',
    edits.map((one) => [
      LABELS[one.field][0],
      one.value,
      delivered(one),
      one.by,
      time(one.at),
      revert(one),
    ]),
    'The track is as delivered.',
  );
  const isOpen = session.refused?.to === `${to}/edit`;
  if (!maySend(session, `${to}/edit`)) return shown;
  return html`${shown}<details${isOpen && html` open`}><summary>Edit</summary>${form(
    session,
    `${to}/edit`,
    (given) => fields(given, track),
  )}</details>`;
}

function delivered({ delivered: cell, deliveredAt }: ShownEdit): Html {
  return html`${cell}${deliveredAt !== null && html` (since ${time(deliveredAt)})`}`;
}

function fields(given: FormValues, track: EditableTrack): Html {
  const cells = cellsOf(track);
  const inputs = EDITABLE_FIELDS.map((name) => {
    const [label, hint = null] = LABELS[name];
    const cell = given.text(name, cells[name]);
    const input =
      name === 'type'
        ? select(name, TRACK_TYPES, cell)
        : html`<input name="${name}" autocomplete="off" value="${cell}">`;
    return field(label, input, hint);
  });
  return html`<p>An edit stays when the track is delivered again. Empty means unknown.</p>${inputs}${allowMissing(given, 'A filter')}<button class="primary">Save</button>`;
}
