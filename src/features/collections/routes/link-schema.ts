import Type from 'typebox';
import {
  contractName,
  flag,
  integer,
  madeBy,
  oneOf,
  openEnum,
  text,
  time,
  timestamp,
  timestampOrNull,
  uuid,
} from '../../../common/schema-types.ts';
import { LINK_STREAMS } from '../link.ts';
import { collectionParams } from './collection-schema.ts';

const ID = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';

/** A link as its owner sees it (docs/contract/collections.md#links). */
export const LinkSchema = Type.Object(
  {
    id: uuid({ examples: [ID] }),
    version: integer('The number of the edit, which `ETag` names.', 1, { minimum: 1 }),
    url: Type.String({
      format: 'uri',
      description: 'The address of the page. Everybody who has it can open the link.',
      examples: ['https://music.example/s/0aB3dE6gH9jK2mN5pQ8sT1'],
    }),
    label: Type.String({ description: 'Only you see it.', examples: ['For the agency'] }),
    expiresAt: timestamp({ examples: ['2026-12-21T09:30:00.000Z'] }),
    endedAt: timestampOrNull({
      description: 'When it expired or was ended; null while it is live.',
      examples: [null],
    }),
    hasPassword: flag('Whether guests need a password.', false),
    streams: openEnum(LINK_STREAMS, {
      description: 'What guests hear: whole tracks, or preview clips.',
      examples: ['full'],
    }),
    comments: flag('Whether guests may write comments.', true),
    createdAt: timestamp({ examples: ['2026-11-21T09:30:00.000Z'] }),
    updatedAt: timestamp({ examples: ['2026-11-21T09:30:00.000Z'] }),
    by: madeBy(),
    opens: integer('How often guests have opened it.', 4),
    plays: integer('How often guests have begun to play a track.', 17),
    lastOpenedAt: timestampOrNull({ examples: ['2026-11-21T16:05:12.345Z'] }),
  },
  { title: 'CollectionLink', description: 'A link that shows a collection to its guests.' },
);

export const linkParams = {
  ...collectionParams,
  linkId: text('The id of the link, in either case.', ID),
};

const PASSWORD = { minLength: 8, maxLength: 128 };
const PASSWORD_RULE = 'have 8 to 128 characters';

/** The members of a body that makes or changes a link, without the password. */
const terms = {
  label: Type.Optional(
    Type.String({
      maxLength: 80,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
      'x-rule': 'have at most 80 characters, and no control characters',
      description: 'What you call it. Guests do not see it.',
      examples: ['For the agency'],
    }),
  ),
  expiresAt: Type.Optional(
    time({ description: 'In the future, within a year.', examples: ['2026-12-21T09:30:00.000Z'] }),
  ),
  streams: Type.Optional(
    oneOf(LINK_STREAMS, {
      description: 'What guests hear: whole tracks, or preview clips.',
      examples: ['preview'],
    }),
  ),
  comments: Type.Optional(flag('Whether guests may write comments.', false)),
};

export const LinkRequestSchema = Type.Object(
  {
    ...terms,
    password: Type.Optional(
      Type.String({
        ...PASSWORD,
        'x-rule': PASSWORD_RULE,
        description: 'What guests must enter first; none by default.',
        examples: ['spring 2027'],
      }),
    ),
  },
  { title: 'CollectionLinkRequest' },
);

export const LinkEditSchema = Type.Object(
  {
    ...terms,
    password: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        ...PASSWORD,
        'x-rule': `${PASSWORD_RULE}, or be null for none`,
        description: 'A new password, or null for none.',
        examples: [null],
      }),
    ),
  },
  { title: 'CollectionLinkEdit' },
);

/** A name that a guest gives. */
export function guestName() {
  return contractName(80, { description: 'The name that the guest gives.', examples: ['Ana'] });
}

/** A comment as the owner of the link sees it. */
export const CommentSchema = Type.Object(
  {
    id: uuid({ examples: [ID] }),
    trackId: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    name: Type.String({ description: 'The name that the guest gave.', examples: ['Ana'] }),
    text: Type.String({ examples: ['Could work for the end titles'] }),
    createdAt: timestamp({ examples: ['2026-11-21T16:05:12.345Z'] }),
  },
  { title: 'LinkComment', description: 'What a guest of a link wrote about a track.' },
);
