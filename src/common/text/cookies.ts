/** Returns the values of all cookies with a name in a `Cookie` header (RFC 6265 §5.4), in their order. */
export function cookieValues(header: string | undefined, name: string): string[] {
  const start = `${name}=`;
  return (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start))
    .map((part) => part.slice(start.length));
}
