// Carries out commands for the calls that this process runs: each at most once, and in their order for each call.
import type { CallDigits, CallInstruct, CallSay } from '@parley/contract/channels/calls/call-control';
import type { z } from 'zod';
import type { Database } from '../../../../platform/db/database.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Wake } from '../../../../platform/wake.ts';
import type { Commanded, ConversationControl, TransferCommand } from '../conversation/control.ts';
import type { ClaimedCommand, CommandRef, CommandStore, SettledCommand } from './store.ts';

/** The id is that of a call with a new command. */
export const command_wake = 'call_command';
/** The id is that of a command that was settled. */
export const settled_wake = 'call_command_settled';

type RunnerDeps = {
  db: Database;
  store: CommandStore;
  /** This process: it carries out commands only for calls that it leads. */
  leader_id: string;
  wake: Pick<Wake, 'notify' | 'on'>;
  log: Log;
};

export type CommandRunner = ReturnType<typeof commandRunner>;

export function commandRunner(deps: RunnerDeps) {
  /** The conversations of this process, by the id of their call. */
  const controls = new Map<string, ConversationControl>();
  /** The last pending run of each call: the next one follows it. */
  const running = new Map<string, Promise<void>>();

  const run = (call_id: string): void => {
    if (!controls.has(call_id)) return;
    const done = (running.get(call_id) ?? Promise.resolve())
      .then(() => runAll(deps, call_id, () => controls.get(call_id)))
      .catch((error) => deps.log.warn({ call_id, err: error }, 'command of a call not carried out'))
      .finally(() => {
        if (running.get(call_id) === done) running.delete(call_id);
      });
    running.set(call_id, done);
  };

  const remove = deps.wake.on(command_wake, {
    woken: run,
    missed() {
      if (controls.size === 0) return;
      deps.store
        .waitingAmong([...controls.keys()])
        .then((call_ids) => call_ids.forEach(run))
        .catch((error) => deps.log.warn({ err: error }, 'commands of calls not read'));
    },
  });

  return {
    /** For a command that this process has stored. */
    run,
    /** Commands for this call are carried out until the returned function is called. */
    open(call_id: string, control: ConversationControl): () => void {
      controls.set(call_id, control);
      run(call_id);
      return () => void controls.delete(call_id);
    },
    close: remove,
  };
}

async function runAll(
  deps: RunnerDeps,
  call_id: string,
  current: () => ConversationControl | undefined,
): Promise<void> {
  for (let control = current(); control; control = current()) {
    const command = await deps.store.claim(call_id, deps.leader_id);
    if (!command) return;
    const result = await carryOut(control, command).catch((error: Error): Commanded => {
      deps.log.warn({ call_id, err: error }, 'command of a call failed');
      return { outcome: 'refused', detail: error.message };
    });
    await settleCommand(deps, command, {
      outcome: result.outcome,
      detail: 'detail' in result ? result.detail : null,
    });
  }
}

async function carryOut(control: ConversationControl, { kind, body }: ClaimedCommand): Promise<Commanded> {
  switch (kind) {
    case 'say':
      return control.say(body as z.output<typeof CallSay>);
    case 'instruct':
      return control.instruct(body as z.output<typeof CallInstruct>);
    case 'send_digits':
      return control.sendDigits((body as z.output<typeof CallDigits>).digits);
    case 'transfer':
      return control.transfer(body as TransferCommand);
    default:
      // A command of a newer release.
      return { outcome: 'refused', detail: 'The process that runs the call does not know this command.' };
  }
}

/** False when it was settled before. */
export const settleCommand = (
  { db, store, wake }: Pick<RunnerDeps, 'db' | 'store' | 'wake'>,
  command: CommandRef,
  settled: SettledCommand,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const is_settled = await store.settle(tx, command, settled);
    if (is_settled) await wake.notify(tx, settled_wake, command.id);
    return is_settled;
  });
