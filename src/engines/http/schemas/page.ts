import Type, { type TProperties, type TSchema } from 'typebox';

/** The default of `pageSize` (docs/contract/http.md#paginated-envelope). */
const DEFAULT_PAGE_SIZE = 20;
/** The greatest `pageSize` (docs/contract/limits.md#bounds-of-a-request). */
const MAX_PAGE_SIZE = 100;
/**
 * The page number is limited to 32 bits, not by the size of the catalog
 * (docs/contract/limits.md#bounds-of-a-request).
 */
const MAX_PAGE = 2_147_483_647;

/** The two members of every paginated query, as parameters or in a body. */
export const pageMembers = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      default: 1,
      description: 'The number of the page. A page after the last one is empty, not an error.',
      examples: [1],
    }),
  ),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_PAGE_SIZE,
      description: 'Records a page.',
      examples: [20],
    }),
  ),
};

/** The page that a caller requests. */
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
      totalRecords: Type.Integer({
        minimum: 0,
        description: 'The exact number of matching records.',
        examples: [1],
      }),
      totalPages: Type.Integer({
        minimum: 0,
        description: 'The number of pages at this `pageSize`; 0 if nothing matches.',
        examples: [1],
      }),
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

/** Returns the number of the next page; undefined after the last one. */
export function pageAfter(page: number, totalPages: number): number | undefined {
  return page < totalPages ? page + 1 : undefined;
}

/** Returns the requested page, with the defaults of absent members. */
export function pageOrDefault(request: PageRequest): { page: number; pageSize: number } {
  return { page: request.page ?? 1, pageSize: request.pageSize ?? DEFAULT_PAGE_SIZE };
}
