/** The head of every generated page. */
export function generatedFrom(source: string): string {
  return `<!-- Generated from ${source} by \`npm run reference\`; change it there. -->`;
}
