import type { ColumnType, Generated } from 'kysely';

/** The kind of values in a column. SQLite stores booleans as 0 and 1. */
export type Kind = 'text' | 'integer' | 'boolean' | 'bytes';

/** `Type` is the type of the column in queries. */
export interface Column<Type> {
  kind: Kind;
  isNullable: boolean;
  /** Never set: it only carries the type. */
  type?: Type;
}

type Columns = Readonly<Record<string, Column<unknown>>>;

export interface Table<Declared extends Columns = Columns> {
  /** The columns of the primary key come first. */
  columns: Declared;
  keyLength: number;
  /**
   * Whether PostgreSQL divides the table by the column after the key. There, the primary key also contains that
   * column, as PostgreSQL requires.
   */
  isPartitioned?: boolean;
  /** Whether rows have some kilobytes, so that `stave migrate-store` copies fewer at once. */
  hasLongRows?: boolean;
  /**
   * Whether `stave migrate-store` does not copy the table, because it belongs to one database or one moment.
   */
  isLocal?: boolean;
}

export const text = column<string>('text');
export const textOrNull = column<string | null>('text', true);
export const integer = column<number>('integer');
export const integerOrNull = column<number | null>('integer', true);
export const integerByDefault = column<Generated<number>>('integer');
export const boolean = column<boolean>('boolean');
export const booleanOrNull = column<boolean | null>('boolean', true);
export const booleanByDefault = column<Generated<boolean>>('boolean');
export const bytes = column<ColumnType<Buffer, Uint8Array, Uint8Array>>('bytes');
export const bytesOrNull = column<ColumnType<Buffer | null, Uint8Array | null, Uint8Array | null>>(
  'bytes',
  true,
);

export function column<Type>(kind: Kind, isNullable = false): Column<Type> {
  return { kind, isNullable };
}

/** A text that is one of a few words. */
export function textOf<Words extends string>(): Column<Words> {
  return column('text');
}

export function table<Declared extends Columns>(
  keyLength: number,
  columns: Declared,
  options: Pick<Table, 'hasLongRows' | 'isLocal' | 'isPartitioned'> = {},
): Table<Declared> {
  return { columns, keyLength, ...options };
}
