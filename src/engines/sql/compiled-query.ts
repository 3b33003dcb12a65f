import type { Compilable, CompiledQuery, QueryCompiler } from 'kysely';
import type { Queries } from './database.ts';

type Values = Readonly<Record<string, string | number | Buffer>>;

/** Stands for a value in a query that is compiled before the value is known. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const PLACEHOLDERS = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

/**
 * Returns a function that executes a query with different values. The query is built and compiled once for each
 * database, because that costs more than the execution of a short query.
 * @param build gets placeholders, so it must use the values only as parameters of the query
 */
export function compiledOnce<Given extends Values, Row>(
  build: (queries: Queries, values: Given) => Compilable<Row>,
): (queries: Queries, values: Given) => Promise<Row[]> {
  const compiledBy = new Map<QueryCompiler, CompiledQuery>();
  return async (queries, values) => {
    let compiled = compiledBy.get(queries.compiler);
    if (compiled === undefined) {
      compiled = build(queries, PLACEHOLDERS as Given).compile();
      compiledBy.set(queries.compiler, compiled);
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name] : parameter,
    );
    const { rows } = await queries.execute({ ...compiled, parameters });
    return rows as Row[];
  };
}
