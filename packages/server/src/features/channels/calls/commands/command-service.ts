// Commands for a call in progress, from any process: stores them, wakes the process that runs the call, and waits for the
// outcome.
import type {
  CallCommand,
  CallCommanded,
  CallCommandKind,
} from '@parley/contract/channels/calls/call-control';
import { type Call, isFinalCall } from '@parley/contract/channels/calls/call-records';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Wake } from '../../../../platform/wake.ts';
import { type AuditLog, actorOf } from '../../../access/audit/index.ts';
import type { GuardedCarriers } from '../../../rules/admission/index.ts';
import type { CallStore } from '../store.ts';
import { type CommandPolicy, requireAllowedCommand } from './command-policy.ts';
import { type CommandRunner, command_wake, settleCommand, settled_wake } from './command-runner.ts';
import { type CommandStore, responseOf } from './store.ts';

type ServiceDeps = {
  db: Database;
  store: CommandStore;
  calls: Pick<CallStore, 'find' | 'wasApproved'>;
  approvals: CommandPolicy;
  runner: Pick<CommandRunner, 'run'>;
  carriers: GuardedCarriers;
  audit: AuditLog;
  wake: Wake;
  clock: Clock;
  ids: Ids;
  log: Log;
};

type Command = { call_id: string; kind: CallCommandKind; body: Record<string, unknown> };

const answer_timeout_ms = 3000;
const batch = 100;
const no_response = 'The process that runs the call did not respond.';

export type CommandService = ReturnType<typeof commandService>;

export function commandService(deps: ServiceDeps) {
  const settled = settledSignals(deps);
  return {
    send: (context: Context, command: Command) => sendCommand(deps, settled, context, command),

    async find(organization_id: string, call_id: string, id: string): Promise<CallCommand> {
      const command = await deps.store.find(organization_id, call_id, id);
      if (!command) throw new ApiError('not_found');
      return command;
    },

    /** Settles commands whose process is gone, and deletes old ones. Safe to run in several processes. */
    async sweep(): Promise<void> {
      for (const { was_claimed, ...command } of await deps.store.abandoned(batch))
        await settleCommand(
          deps,
          command,
          was_claimed
            ? { outcome: 'unknown', detail: 'The process that ran the call is gone.' }
            : { outcome: 'refused', detail: no_response },
        );
    },
    deleteOld: async () => void (await deps.store.deleteOld(deps.clock.now())),
    close: settled.close,
  };
}

async function sendCommand(
  deps: ServiceDeps,
  settled: SettledSignals,
  context: Context,
  command: Command,
): Promise<CallCommanded> {
  const { organization_id } = context;
  const call = await requireInProgress(deps, organization_id, command.call_id);
  if (!isPlanned(command)) await requireAllowedCommand(deps, context, call);
  const id = deps.ids.next();
  const signal = settled.of(id);
  try {
    await storeCommand(deps, context, { ...command, id });
    deps.runner.run(command.call_id);
    if (!(await signal.until(answer_timeout_ms))) {
      const ref = { organization_id, id };
      const is_withdrawn = await deps.db.transaction((tx) => deps.store.withdraw(tx, ref, no_response));
      if (is_withdrawn) throw new ApiError('command_not_possible', { detail: no_response });
    }
  } finally {
    signal.forget();
  }
  const { outcome, detail } = (await deps.store.find(organization_id, command.call_id, id))!;
  if (outcome === 'refused') throw new ApiError('command_not_possible', detail === null ? {} : { detail });
  return responseOf(id, outcome);
}

const storeCommand = (
  { db, store, audit, wake, clock }: ServiceDeps,
  context: Context,
  { id, call_id, kind, body }: Command & { id: string },
): Promise<void> =>
  db.transaction(async (tx) => {
    const { organization_id } = context;
    const key = context.idempotency?.row(null) ?? null;
    await store.insert(tx, organization_id, {
      organization_id,
      id,
      call_id,
      kind,
      body,
      created_at: clock.now(),
      key,
    });
    await audit.write(tx, actorOf(context), {
      organization_id,
      action: `call.${kind}`,
      object_id: call_id,
      detail: { command_id: id },
    });
    await wake.notify(tx, command_wake, call_id);
  });

async function requireInProgress(
  { calls }: ServiceDeps,
  organization_id: string,
  call_id: string,
): Promise<Call> {
  const call = await calls.find(organization_id, call_id);
  if (!call) throw new ApiError('not_found');
  if (isFinalCall(call.status)) throw new ApiError('call_already_ended');
  if (call.status !== 'in_progress') throw new ApiError('call_not_in_progress');
  return call;
}

/** A transfer to a destination of the call's plan, which its approval showed, without words of its own. */
const isPlanned = ({ kind, body }: Command) =>
  kind === 'transfer' && body.destination !== undefined && body.brief === undefined;

type SettledSignals = ReturnType<typeof settledSignals>;

/** Requests of this process that wait until their command is settled. */
function settledSignals({ wake, store, log }: Pick<ServiceDeps, 'wake' | 'store' | 'log'>) {
  const waiting = new Map<string, () => void>();
  const notify = (id: string) => waiting.get(id)?.();
  const close = wake.on(settled_wake, {
    woken: notify,
    missed() {
      if (waiting.size === 0) return;
      store
        .settledAmong([...waiting.keys()])
        .then((ids) => ids.forEach(notify))
        .catch((error) => log.warn({ err: error }, 'outcomes of commands not read'));
    },
  });
  return {
    close,
    of(id: string) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.set(id, () => resolve(true));
      return {
        /** False when the time is over. */
        async until(timeout_ms: number): Promise<boolean> {
          const timer = setTimeout(() => resolve(false), timeout_ms);
          try {
            return await promise;
          } finally {
            clearTimeout(timer);
          }
        },
        forget: () => void waiting.delete(id),
      };
    },
  };
}
