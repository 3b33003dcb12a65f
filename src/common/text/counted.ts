/** A number and its noun: `1 track`, `2 tracks`, `0 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
