import Type from 'typebox';
import { StaveError } from '../../src/common/errors.ts';
import { type Route, route } from '../../src/engines/http/route/route.ts';
import type { NoteStore } from './note-store.ts';

const SHARED = { tag: 'Tracks', summary: 'Note', description: 'A note.' } as const;

const Note = Type.Object({
  id: Type.String(),
  text: Type.String(),
  version: Type.Integer(),
  secret: Type.Optional(Type.String()),
});
const params = Type.Object({ id: Type.String() });
const access = { scope: 'tracks' } as const;

/** The secret of every new note, which no database may contain. */
export const NOTE_SECRET = 'the secret of a note';
/** A note with this text is never stored, and one with the other fails. */
export const NO_NOTE = 'nothing';
export const BAD_NOTE = 'bad';

/** Routes of a resource that its client may change. */
export function noteRoutes(notes: NoteStore): Route[] {
  return [createNote(notes), showNote(notes), updateNote(notes), deleteNote(notes)];
}

function createNote(notes: NoteStore): Route {
  return route({
    ...SHARED,
    operationId: 'createNote',
    method: 'POST',
    path: '/v1/notes',
    access,
    errors: ['conflict'],
    query: Type.Object({ tag: Type.Optional(Type.String()) }),
    body: Type.Object({
      text: Type.String(),
      more: Type.Optional(Type.Object({}, { additionalProperties: true })),
      isSecret: Type.Optional(Type.Boolean()),
    }),
    idempotent: true,
    secretMembers: ['secret'],
    success: { statuses: [201, 200], headers: ['Location', 'ETag'] },
    data: Note,
    handle: async ({ body: { text, isSecret }, change }) => {
      if (text === NO_NOTE) {
        return {
          status: 200,
          data: { id: '', text, version: 0 },
          headers: { Location: '/v1/notes' },
        };
      }
      if (text === BAD_NOTE) throw new StaveError('conflict', 'There is a bad note.');
      return change(
        (context) => notes.create(text, context),
        (note) => ({
          data: isSecret ? { ...note, secret: NOTE_SECRET } : note,
          version: note.version,
          headers: { Location: `/v1/notes/${note.id}` },
        }),
      );
    },
  });
}

function showNote(notes: NoteStore): Route {
  return route({
    ...SHARED,
    operationId: 'showNote',
    method: 'GET',
    path: '/v1/notes/{id}',
    access,
    errors: ['not_found'],
    params,
    success: { headers: ['ETag'] },
    data: Note,
    handle: async ({ params }) => {
      const note = await notes.get(params.id);
      return { data: note, version: note.version };
    },
  });
}

function updateNote(notes: NoteStore): Route {
  return route({
    ...SHARED,
    operationId: 'updateNote',
    method: 'PATCH',
    path: '/v1/notes/{id}',
    access,
    errors: ['not_found'],
    params,
    body: Type.Object({ text: Type.String() }),
    idempotent: true,
    needsMatch: true,
    success: { headers: ['ETag'] },
    data: Note,
    handle: ({ params, body, requireVersion, change }) =>
      change(
        (context) => notes.update(params.id, body.text, requireVersion, context),
        (note) => ({ data: note, version: note.version }),
      ),
  });
}

function deleteNote(notes: NoteStore): Route {
  return route({
    ...SHARED,
    operationId: 'deleteNote',
    method: 'DELETE',
    path: '/v1/notes/{id}',
    access,
    errors: ['not_found'],
    params,
    idempotent: true,
    needsMatch: true,
    data: Type.Object({ id: Type.String(), deleted: Type.Boolean() }),
    handle: async ({ params, requireVersion, change }) => {
      requireVersion((await notes.get(params.id)).version);
      return change(
        (context) => notes.delete(params.id, requireVersion, context),
        () => ({ data: { id: params.id, deleted: true } }),
      );
    },
  });
}
