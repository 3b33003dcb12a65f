/** The forms in which a name is looked up. Each step is added to the ones before. Most names have one form. */
export function formsOf(given: string): string[] {
  const separated = given.replaceAll('\\', '/').replace(/^(\.\/+)+/, '');
  const decoded = percentDecoded(separated);
  const composed = decoded.normalize('NFC');
  return [...new Set([given, separated, decoded, composed, decoded.normalize('NFD')])];
}

function percentDecoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
