import { OperatorError } from '../../common/errors.ts';
import type { Log } from '../../common/log.ts';
import { setTracing, tracing } from '../../common/tracing.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import type { Config } from '../config/config.ts';
import type { AppContext } from '../open/context.ts';

/**
 * Begins to trace the requests of this thread, if the configuration names a collector; the SDK of OpenTelemetry is loaded
 * only then (docs/adr/0041-opentelemetry.md). Dispose of the result to send the last spans. Throws OperatorError if the
 * packages of the SDK are not installed.
 */
export async function openTracing(
  { tracing: settings }: Config,
  log: Log,
): Promise<AsyncDisposable | undefined> {
  if (settings === null) return undefined;
  const { OpenTelemetry } = await import('./opentelemetry.ts').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new OperatorError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, and the packages of OpenTelemetry are not installed: run `npm ci` in the checkout, use a release, which contains them, or remove the setting.',
      { cause: error },
    );
  });
  const made = new OpenTelemetry(settings, log);
  setTracing(made);
  return {
    async [Symbol.asyncDispose]() {
      setTracing(undefined);
      await made.close();
    },
  };
}

/** The methods of a media store that requests wait for. */
const MEDIA_STEPS: ReadonlySet<string> = new Set<keyof MediaStore>([
  'stat',
  'read',
  'readDerived',
  'presign',
]);

/** Returns the context, with a step for each read of its media store if requests are traced. */
export function withMediaSteps(context: AppContext): AppContext {
  if (tracing === undefined) return context;
  const { media } = context;
  const { step } = tracing;
  const attributes = { 'stave.media.store': media.localPath === undefined ? 'bucket' : 'folder' };
  const traced = new Proxy(media, {
    get(store, name) {
      const value: unknown = Reflect.get(store, name);
      if (typeof value !== 'function') return value;
      const method = value.bind(store);
      if (!MEDIA_STEPS.has(String(name))) return method;
      return (...args: unknown[]) =>
        step(`media ${String(name)}`, attributes, () => method(...args));
    },
  });
  return { ...context, media: traced };
}
