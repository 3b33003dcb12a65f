import Type, { type TProperties, type TSchema, type TSchemaOptions } from 'typebox';
import { DAY_MS } from '../../common/clock.ts';
import type { FieldProblem } from '../../common/errors.ts';
import { integer, slug, text } from '../../common/schema-types.ts';

/** The default of `pageSize` (docs/contract/http.md#paginated-envelope). */
const DEFAULT_PAGE_SIZE = 20;
/** The greatest `pageSize` (docs/contract/limits.md#bounds-of-a-request). */
const MAX_PAGE_SIZE = 100;
/** 32 bits, whatever the size of the catalog (docs/contract/limits.md#bounds-of-a-request). */
const MAX_PAGE = 2_147_483_647;

/** The two members of every paginated query, as parameters or in a body. */
export const pageMembers = {
  page: Type.Optional(
    integer('The number of the page. A page after the last one is empty, not an error.', 1, {
      minimum: 1,
      maximum: MAX_PAGE,
      default: 1,
    }),
  ),
  pageSize: Type.Optional(
    integer('Records a page.', 20, {
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_PAGE_SIZE,
    }),
  ),
};

export interface PageRequest {
  page?: number;
  pageSize?: number;
}

/**
 * Returns the schema of a paginated envelope (docs/contract/http.md#paginated-envelope) around
 * records of one kind, with further members; `title` names it in OpenAPI.
 */
export function paginated<Item extends TSchema>(
  item: Item,
  title: string,
  others: TProperties = {},
) {
  return Type.Object(
    {
      totalRecords: integer('The exact number of matching records.', 1),
      totalPages: integer('The number of pages at this `pageSize`; 0 if nothing matches.', 1),
      currentPage: Type.Integer({ minimum: 1, examples: [1] }),
      pageSize: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, examples: [20] }),
      items: Type.Array(item, { description: 'The records of this page.' }),
      ...others,
    },
    { title },
  );
}

/** Returns one page of a list in memory, as the data of the paginated envelope. */
export function pageOf<Item>(records: readonly Item[], request: PageRequest) {
  const { page, pageSize } = pageOrDefault(request);
  const offset = (page - 1) * pageSize;
  return pageAround(records.slice(offset, offset + pageSize), records.length, request);
}

/** Returns the data of the paginated envelope around the records of the requested page. */
export function pageAround<Item>(
  items: readonly Item[],
  totalRecords: number,
  request: PageRequest,
) {
  const { page, pageSize } = pageOrDefault(request);
  const totalPages = Math.ceil(totalRecords / pageSize);
  return { totalRecords, totalPages, currentPage: page, pageSize, items };
}

/** Returns the response with the records of the requested page, which links to the next one. */
export function pageResponse<Item>(items: readonly Item[], total: number, request: PageRequest) {
  const data = pageAround(items, total, request);
  return { data, nextPage: pageAfter(data.currentPage, data.totalPages) };
}

/** Returns the place of the requested page among all records. */
export function rangeOf(request: PageRequest): { offset: number; limit: number } {
  const { page, pageSize } = pageOrDefault(request);
  return { offset: (page - 1) * pageSize, limit: pageSize };
}

/** Returns the number of the next page; undefined after the last one. */
export function pageAfter(page: number, totalPages: number): number | undefined {
  return page < totalPages ? page + 1 : undefined;
}

function pageOrDefault(request: PageRequest): { page: number; pageSize: number } {
  return { page: request.page ?? 1, pageSize: request.pageSize ?? DEFAULT_PAGE_SIZE };
}

/** Free text of at most 200 characters (docs/contract/limits.md#bounds-of-a-request). */
export function freeText(options?: TSchemaOptions) {
  return Type.String({ maxLength: 200, ...options });
}

/** The schema of a name that a client chooses. */
export function nameText(description: string, example: string) {
  return freeText({
    minLength: 1,
    pattern: '\\S',
    'x-rule': 'have 1 to 200 characters, and not only spaces',
    description,
    examples: [example],
  });
}

/** How many filters a query may name (docs/contract/limits.md#bounds-of-a-request). */
export const MAX_FILTERS = 50;

/** The slugs of filters of a list that takes no ids of filters (docs/contract/search.md#filters). */
export const filterSlugsMember = Type.Optional(
  Type.Array(slug(), {
    maxItems: MAX_FILTERS,
    description:
      'Slugs of filters; a track must carry all of them. An unknown filter matches nothing, and `warnings` names it.',
    examples: [['ambient']],
  }),
);

/** Returns the problem of an edit that changes nothing (docs/contract/http.md#editing). */
export function refuseEmpty(body: object): FieldProblem[] {
  return Object.keys(body).length > 0
    ? []
    : [{ field: 'body', message: 'body must have a member to change' }];
}

export function deletedSchema(title: string) {
  return Type.Object(
    {
      id: Type.String({ examples: ['0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'] }),
      deleted: Type.Literal(true, { examples: [true] }),
    },
    { title },
  );
}

const WarningSchema = Type.Object(
  {
    field: text('The parameter that the warning is about.', 'filterSlugs'),
    message: text('The warning, for people.', 'no filter has the slug clam; did you mean calm?'),
  },
  { title: 'Warning', description: 'Says that the result may not be the intended one.' },
);

/** A member of pages that filters restrict (docs/contract/search.md#warnings). */
export const warningsMember = {
  warnings: Type.Optional(
    Type.Array(WarningSchema, {
      minItems: 1,
      maxItems: 4 * MAX_FILTERS + 2,
      description:
        'What the query names and the catalog does not have: filters, which therefore match nothing or are left out, the key of a query that matches nothing, and the language. Absent if there is nothing to say.',
    }),
  ),
};

/** Returns the schema of one end of a time range: a calendar day, or a moment in UTC. */
export function dateOrTime(options?: TSchemaOptions) {
  return Type.Unsafe<string>({
    type: 'string',
    anyOf: [
      { format: 'date' },
      {
        format: 'date-time',
        // UTC, with up to three decimals. A leap second is refused: it has no value in milliseconds.
        pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\\.[0-9]{1,3})?Z$',
      },
    ],
    'x-rule': 'be a date such as 2024-01-31 or a time in UTC such as 2024-01-31T12:00:00.000Z',
    ...options,
  });
}

/** Returns the moment, or the first moment of the day, in milliseconds since the epoch. */
export function firstMoment(dateOrTime: string): number {
  return Date.parse(dateOrTime);
}

/** Returns the moment, or the last moment of the day, in milliseconds since the epoch. */
export function lastMoment(dateOrTime: string): number {
  const first = firstMoment(dateOrTime);
  return dateOrTime.includes('T') ? first : first + DAY_MS - 1;
}
