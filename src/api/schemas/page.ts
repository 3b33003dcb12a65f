import Type, { type TProperties, type TSchema } from 'typebox';

/** The default of `pageSize` (specification, Limits). */
const DEFAULT_PAGE_SIZE = 20;
/** (Specification, Limits). */
const MAX_PAGE_SIZE = 100;
/** Page numbers are bounded by 32 bits, not by the size of the catalog (decisions §1). */
const MAX_PAGE = 2_147_483_647;

/** The two members that every paginated question has, in a query as in a body. */
export const pageMembers = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      default: 1,
      description: 'Which page. One past the last is empty, not an error.',
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

/** What a caller asks of a paginated list. */
export interface PageRequest {
  page?: number;
  pageSize?: number;
}

/**
 * The paginated envelope (specification) around records of one kind, with what else there is to say of
 * them; `title` names it in OpenAPI.
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
        description: 'All matching records, exactly.',
        examples: [1],
      }),
      totalPages: Type.Integer({
        minimum: 0,
        description: 'Pages at this `pageSize`; 0 when nothing matches.',
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

/** One page of a list that is at hand whole, as the paginated envelope's data. */
export function pageOf<Item>(records: readonly Item[], request: PageRequest) {
  const { page, pageSize } = pageOrDefault(request);
  const offset = (page - 1) * pageSize;
  return {
    totalRecords: records.length,
    totalPages: Math.ceil(records.length / pageSize),
    currentPage: page,
    pageSize,
    items: records.slice(offset, offset + pageSize),
  };
}

/** The page asked for, with the defaults where nothing was said. */
export function pageOrDefault(request: PageRequest): { page: number; pageSize: number } {
  return { page: request.page ?? 1, pageSize: request.pageSize ?? DEFAULT_PAGE_SIZE };
}
