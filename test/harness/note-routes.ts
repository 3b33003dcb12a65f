import Type from 'typebox';
import { StaveError } from '../../src/common/errors.ts';
import { type Route, route } from '../../src/http/route.ts';

const SHARED = { version: 'v1', tag: 'Tracks', summary: 'Note', description: 'A note.' } as const;

const Note = Type.Object({ id: Type.String(), text: Type.String(), version: Type.Integer() });
const params = Type.Object({ id: Type.String() });
const access = { scope: 'tracks' } as const;

/** Routes of a resource that its client may change, which they keep in memory. */
export function noteRoutes(): Route[] {
  const notes = new Map<string, { id: string; text: string; version: number }>();
  const noteOf = (id: string) => {
    const note = notes.get(id);
    if (note === undefined) {
      throw new StaveError('not_found', 'There is no such note.');
    }
    return note;
  };
  return [
    route({
      ...SHARED,
      operationId: 'createNote',
      method: 'POST',
      path: '/v1/notes',
      access,
      errors: [],
      body: Type.Object({ text: Type.String() }),
      success: { statuses: [201], headers: ['Location', 'ETag'] },
      data: Note,
      handle: ({ body }) => {
        const note = { id: `n${notes.size}`, text: body.text, version: 1 };
        notes.set(note.id, note);
        return { data: note, version: 1, headers: { Location: `/v1/notes/${note.id}` } };
      },
    }),
    route({
      ...SHARED,
      operationId: 'showNote',
      method: 'GET',
      path: '/v1/notes/{id}',
      access,
      errors: ['not_found'],
      params,
      success: { headers: ['ETag'] },
      data: Note,
      handle: ({ params }) => {
        const note = noteOf(params.id);
        return { data: note, version: note.version };
      },
    }),
    route({
      ...SHARED,
      operationId: 'updateNote',
      method: 'PATCH',
      path: '/v1/notes/{id}',
      access,
      errors: ['not_found'],
      params,
      body: Type.Object({ text: Type.String() }),
      needsMatch: true,
      success: { headers: ['ETag'] },
      data: Note,
      handle: ({ params, body, requireVersion }) => {
        const note = noteOf(params.id);
        requireVersion(note.version);
        note.text = body.text;
        note.version++;
        return { data: note, version: note.version };
      },
    }),
    route({
      ...SHARED,
      operationId: 'deleteNote',
      method: 'DELETE',
      path: '/v1/notes/{id}',
      access,
      errors: ['not_found'],
      params,
      needsMatch: true,
      data: Type.Object({ id: Type.String(), deleted: Type.Boolean() }),
      handle: ({ params, requireVersion }) => {
        requireVersion(noteOf(params.id).version);
        notes.delete(params.id);
        return { data: { id: params.id, deleted: true } };
      },
    }),
  ];
}
