import packageJson from '../../package.json' with { type: 'json' };

/** The semantic version of the running build, as `X-Service-Version` reports it. */
export const SERVICE_VERSION: string = packageJson.version;

/** The contract version of routes that declare none, as `X-API-Version` reports it. */
export const API_VERSION = 'v1';
