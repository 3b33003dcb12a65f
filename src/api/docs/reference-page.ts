/** The page that shows the OpenAPI document; everything it loads comes from the same origin. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Stave partner API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="app"></div>
    <noscript>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <script src="/docs/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/**
 * Starts Scalar with all that would reach outside switched off: fonts, telemetry, the agent, the
 * hosted client and its proxy.
 */
const REFERENCE_CONFIGURATION = {
  url: '/openapi.json',
  defaultOpenAllTags: true,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
  proxyUrl: '',
  persistAuth: false,
  // A client id and a secret are what a partner has in hand; the page fetches the token itself.
  authentication: { preferredSecurityScheme: 'clientCredentials' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

/** A file of its own, so that the page's policy can forbid scripts within it. */
export const REFERENCE_START = `Scalar.createApiReference('#app', ${JSON.stringify(REFERENCE_CONFIGURATION)});\n`;

/**
 * What the page may load and where it may send requests: this origin and the public one, which the
 * document names as its server. Styles are the exception: Scalar writes its own into the page.
 */
export function referencePolicy(publicOrigin: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${publicOrigin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
