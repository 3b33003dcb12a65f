import { OperatorError } from '../../../common/errors.ts';
import {
  EDITABLE_FIELDS,
  type EditableField,
  type EditableTrack,
  valuesTag,
} from '../../../features/catalog/track-edits.ts';
import { TRACK_TYPES } from '../../../features/catalog/track-values.ts';
import { cellsOf, type EditCells } from '../../../features/import/track-edits.ts';
import { editTrack, findEditable, type ShownEdit } from '../../track-edits.ts';
import { type Html, html, time } from '../pages/html.ts';
import {
  action,
  type ConsoleRequest,
  type ConsoleRoute,
  done,
  type FormSession,
  type FormValues,
} from '../pages/page.ts';
import { allowMissing, button, field, form, missingRuleOf, select, table } from '../pages/parts.ts';

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
  hasVocals: ['Vocals', 'yes or no.'],
  isPRO: ['PRO', 'yes or no.'],
  language: ['Language', 'Of the name and the tags. Empty for that of the catalog.'],
};

export const TRACK_EDIT_ROUTES: readonly ConsoleRoute[] = [
  action('/tracks/:id/edit', async (request) => {
    const track = await findEditable(request.context.store, request.params.id!);
    return edited(request, track, { cells: changedCells(track, request.form), revert: [] });
  }),
  action('/tracks/:id/revert', async (request) => {
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
  const shownTag = given.get('shown') ?? '';
  const { isChanged } = await editTrack(context, track, { ...change, rule, shownTag });
  const { name } = track.effective;
  const notice = isChanged
    ? `${name} is changed. It takes effect within a second.`
    : `${name} had these values already.`;
  return done(`/tracks/${track.id}`, notice);
}

/** Returns the cells of a form that differ from the values of the track, which are those that the form has shown. */
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
  const tag = valuesTag(track);
  const revert = ({ field: name }: ShownEdit) =>
    button(session, { to: `${to}/revert`, name: 'Revert', fields: { field: name, shown: tag } });
  const shown = table(
    'Edits',
    'Field | Edited to | Delivered | By | When | ',
    edits.map((edit) => [
      LABELS[edit.field][0],
      edit.value,
      delivered(edit),
      edit.by,
      time(edit.at),
      revert(edit),
    ]),
    'The track is as delivered.',
  );
  const isOpen = session.refused?.to === `${to}/edit`;
  // After a conflict, the form is about the values that the page shows now.
  const hasConflict = session.refused?.conflict !== undefined;
  return html`${shown}<details${isOpen && html` open`}><summary>Edit</summary>${form(
    session,
    `${to}/edit`,
    (given) => fields(given, track, hasConflict ? tag : given.text('shown', tag)),
  )}</details>`;
}

function delivered({ delivered: cell, deliveredAt }: ShownEdit): Html {
  return html`${cell}${deliveredAt !== null && html` (since ${time(deliveredAt)})`}`;
}

/** @param shown `valuesTag` of the values that the operator has seen */
function fields(given: FormValues, track: EditableTrack, shown: string): Html {
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
  return html`<p>An edit stays when the track is delivered again. Empty means unknown.</p><input type="hidden" name="shown" value="${shown}">${inputs}${allowMissing(given, 'A filter')}<button class="primary">Save</button>`;
}
