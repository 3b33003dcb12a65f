// All other modules are imported by `await import`, after this check.
import '../bin/check-node.mjs';

// Keeps compiled modules, which halves the time of the next start.
(await import('node:module')).enableCompileCache();

const { readConfig, wantsStacks } = await import('./app/config.ts');
const { systemClock } = await import('./common/clock.ts');
const { runProgram } = await import('./cli/program.ts');

// A reader that has left (`stave log | head`) is not an error, and must not end an import.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      throw error;
    }
  });
}

process.exitCode = await runProgram(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  nodeVersion: process.versions.node,
  exitCode: 0,
  readConfig: () => readConfig(),
  wantsStacks: () => wantsStacks(),
  exit: (code) => process.exit(code),
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
