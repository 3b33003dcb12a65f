import type { Command } from 'commander';
import { StaveError } from '../../../common/errors.ts';
import { ERROR_DAYS, type FailedRequest, KEPT_ERRORS } from '../../../features/access/calls.ts';
import { type ClientNames, clientIdOf, clientNames } from '../../named.ts';
import { command, type Shell } from '../shell.ts';
import { notEmpty, withIsoTimes } from '../terminal/arguments.ts';
import { listOf } from '../terminal/table.ts';

export function requestsCommand(shell: Shell): Command {
  return command(shell, 'requests', 'Show why requests failed, newest first', {
    hasTable: true,
    description: `Shows all errors of a client that are kept, or the last ${KEPT_ERRORS} of all clients. Of each client, the last ${KEPT_ERRORS} of ${ERROR_DAYS} days are kept, and as many of those over its rate limit or without a valid secret. Errors of requests that name no client are only in the log of the service. An error is shown some seconds after it happened.`,
    examples: [
      ['stave requests 7c9e6679-7425-40de-944b-e07fc1f90ae7', 'the requestId of a response'],
      ['stave requests --client 0b6c…', 'the last errors of a client'],
    ],
  })
    .argument('[request-id]', 'requestId of an error; default: all')
    .option('-c, --client <client>', 'id or name of a client; default: all', notEmpty)
    .prints(
      async ({ store }, requestId: string | undefined, { client }: { client?: string }) => {
        const clientId = client && (await clientIdOf(store, client));
        const errors = await store.calls.errors({ clientId, requestId });
        if (errors.length === 0 && requestId !== undefined) throw unknownRequest(requestId);
        return { errors, names: await clientNames(store) };
      },
      ({ errors, names }) => forPeople(errors, names),
      ({ errors, names }) =>
        errors.map((error) => withIsoTimes({ ...error, clientName: names.of(error.clientId) })),
    );
}

function unknownRequest(requestId: string): StaveError {
  return new StaveError(
    'not_found',
    `No error of the request ${JSON.stringify(requestId)} is kept. It may have succeeded, named no client, or be older than the last ${KEPT_ERRORS} errors of its client: search for the id in the log of the service.`,
  );
}

function forPeople(errors: readonly FailedRequest[], names: ClientNames): string {
  return listOf(errors, 'no request has failed', {
    ...{ WHEN: 'at', REQUEST: 'requestId' },
    CLIENT: ({ clientId }) => names.label(clientId),
    SECRET: ({ secretId }) => secretId || 'none',
    ...{ CALLER: 'caller' },
    PATH: ({ method, path, operationId }) => `${method} ${path || operationId}`.trim(),
    STATUS: ({ status }) => status ?? 'aborted',
    ...{ ERROR: 'error', PROBLEM: 'problem' },
  });
}
