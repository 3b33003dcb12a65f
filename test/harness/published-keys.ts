/** The ids of the keys that a service publishes for live certificates, newest first. */
export async function publishedKeys(url: string): Promise<string[]> {
  const response = await fetch(`${url}/.well-known/jwks.json`);
  const { keys } = (await response.json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}
