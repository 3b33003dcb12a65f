/** What the environment configures (decisions §8); read once, typed from there on. */
export interface Config {
  /** Address to listen on; `127.0.0.1` by default. */
  host: string;
  /** 0 lets the system choose; 8080 by default. */
  port: number;
  /** Absolute path of the data folder; `./data` by default. */
  dataFolder: string;
  /** Base of the URLs handed out, without a trailing slash; null: the listening address. */
  publicUrl: string | null;
  demo: boolean;
  tls: { certFile: string; keyFile: string } | null;
  /** As Fastify's `trustProxy`: false, or a list of addresses and ranges. */
  trustProxy: false | string[];
  /** Where Prometheus scrapes; null: off. */
  metrics: { host: string; port: number } | null;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}
