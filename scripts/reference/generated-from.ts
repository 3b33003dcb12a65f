/** Returns the first line of a generated page. */
export function generatedFrom(source: string): string {
  return `<!-- Generated from ${source} by \`npm run reference\`; change it there. -->`;
}
