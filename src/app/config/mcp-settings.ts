import { setting } from './setting.ts';
import { credential, publicUrl } from './setting-values.ts';

/** The settings of `stave mcp`, which is a client of a service. */
export const MCP_SETTINGS = {
  url: setting<string>({
    name: 'STAVE_URL',
    meaning: 'For `stave mcp`: the address of the Stave that it calls.',
    otherwise: 'http://127.0.0.1:8080',
    example: 'https://api.example.com',
    fallback: 'http://127.0.0.1:8080',
    parse: publicUrl,
  }),
  clientId: setting<string | null>({
    name: 'STAVE_CLIENT_ID',
    meaning: 'For `stave mcp` on standard input and output: the client as which it acts.',
    otherwise: 'none',
    example: '3f0c5a52-5a0e-4a3c-9d6b-1c1f7c2c9f10',
    fallback: null,
    parse: credential,
  }),
  clientSecret: setting<string | null>({
    name: 'STAVE_CLIENT_SECRET',
    meaning:
      'For `stave mcp` on standard input and output: the secret of that client, for test or live mode.',
    otherwise: 'none',
    example: 'stave_test_PUYFYASlvXIFc2aITx7qAYKMNSoQl20QQ2PZ',
    fallback: null,
    parse: credential,
  }),
};
