import { SERVICE_VERSION } from '../../../common/version.ts';
import type { LoopDelay } from '../readiness.ts';
import type { Metrics } from './metrics.ts';

/** Registers the metrics of the process. */
export function measureProcess(metrics: Metrics, loopDelay: LoopDelay): void {
  metrics.gauge('stave_build_info', 'Always 1; the label tells the build.', () => [
    [{ version: SERVICE_VERSION }, 1],
  ]);
  metrics.summary(
    'stave_event_loop_delay_seconds',
    'How late the event loop was in the last half second.',
    () => [
      [{ quantile: '0.5' }, loopDelay.last.medianMs / 1000],
      [{ quantile: '1' }, loopDelay.last.maxMs / 1000],
    ],
  );
  metrics.observedCounter('process_cpu_seconds_total', 'CPU time of the process.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process.', () =>
    process.memoryUsage.rss(),
  );
  metrics.gauge('nodejs_heap_used_bytes', 'Memory that JavaScript objects take.', () => {
    return process.memoryUsage().heapUsed;
  });
  metrics.gauge('process_uptime_seconds', 'Seconds since the process started.', () =>
    process.uptime(),
  );
}
