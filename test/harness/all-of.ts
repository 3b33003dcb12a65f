/** Returns everything that an iterator yields. */
export async function allOf<One>(iterable: AsyncIterable<One>): Promise<One[]> {
  const all: One[] = [];
  for await (const one of iterable) all.push(one);
  return all;
}
