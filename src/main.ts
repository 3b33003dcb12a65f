// All other modules are imported by `await import`, after this check.
import '../bin/check-node.mjs';

const { closeSync, openSync } = await import('node:fs');
const { getPriority, setPriority } = await import('node:os');
const { Worker } = await import('node:worker_threads');
const { readConfig, reportSettings, wantsStacks } = await import('./app/config/config.ts');
const { systemClock } = await import('./common/clock.ts');
const { runProgram } = await import('./operator/cli/program.ts');

/** Between a service (0) and the threads of its index, so that neither waits for an import. */
const BATCH_PRIORITY = 5;

// A reader that has left (`stave log | head`, or a closed terminal) is not an error, and must not end an import.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') {
      throw error;
    }
  });
}

/** Whether the process had a terminal, which has been closed: that sends SIGHUP, too. */
function hasLostTerminal(): boolean {
  if (!process.stderr.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}

process.exitCode = await runProgram(process.argv.slice(2), {
  // Few commands read it, so it is opened when one does.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  nodeVersion: process.versions.node,
  exitCode: 0,
  readConfig: () => readConfig(),
  reportSettings: () => reportSettings(),
  wantsStacks: () => wantsStacks(),
  exit: (code) => process.exit(code),
  kill(last) {
    new Worker("setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000)", { eval: true });
    try {
      last();
    } catch {
      // The process ends in any case.
    }
    process.kill(process.pid, 'SIGKILL');
    // The first process of a container cannot kill itself.
    process.exit(1);
  },
  lowerPriority: () => setPriority(Math.max(getPriority(), BATCH_PRIORITY)),
  onReload(callback) {
    process.on('SIGHUP', () => {
      if (hasLostTerminal()) process.kill(process.pid, 'SIGTERM');
      else callback();
    });
  },
  onStop(callback) {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    for (const signal of signals) {
      process.on(signal, callback);
    }
    return () => {
      for (const signal of signals) {
        process.off(signal, callback);
      }
    };
  },
});
