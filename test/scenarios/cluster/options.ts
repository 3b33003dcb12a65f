/** How long a cluster runs, and under which load. */
export interface ClusterOptions {
  /** Changes that the writers must have made before the end. */
  changes: number;
  writers: number;
  clients: number;
  /** How long a client or a writer pauses after each response or batch. */
  pauseMs: number;
  /** How long the undisturbed phases last. */
  calmMs: number;
  staleLimitSeconds: number;
  /** Called with each phase when it ends. */
  log?: (line: string) => void;
}
