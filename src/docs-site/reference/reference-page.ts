/**
 * The page that shows the OpenAPI document. It loads everything from its own origin. Its links are
 * relative, so that it works behind a proxy that serves Stave under a path.
 */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Stave partner API</title>
    <link rel="icon" href="../favicon.ico">
  </head>
  <body>
    <div id="app"></div>
    <noscript>This page needs JavaScript. The document itself is at <a href="../openapi.json">openapi.json</a>.</noscript>
    <script src="scalar.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`;

/**
 * The configuration of Scalar, without everything that would contact other hosts: fonts, telemetry,
 * the agent, the hosted client and its proxy.
 */
const REFERENCE_CONFIGURATION = {
  url: '../openapi.json',
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
  // Partners have a client id and a secret; the page requests the token itself.
  authentication: { preferredSecurityScheme: 'clientCredentials' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

/**
 * The start of the page is a separate file, so that the page's policy can forbid inline scripts.
 */
export const REFERENCE_START = `Scalar.createApiReference('#app', ${JSON.stringify(REFERENCE_CONFIGURATION)});\n`;

/**
 * Returns the Content-Security-Policy of the page: it may load from and send requests to this
 * origin and the public one, which the document names as its server. Inline styles are permitted,
 * because Scalar writes its own.
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
