// The tools of one spoken call: those of the line, and those that the service passes in.
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import {
  type AgentTool,
  attemptTool,
  calls_at_once,
  limiter,
  toolList,
} from '../../../../agents/runtime/index.ts';
import { newHold } from '../hold.ts';
import type { TransferStarted } from '../transfer/run-transfer.ts';
import type { TransferRequest } from '../transfer/transfer-port.ts';
import { type LineToolDeps, type LineToolName, lineTools } from './line-tools.ts';
import type { RunTool, ToolWork } from './tool-round.ts';

/** What tools can ask about the conversation. */
export type ToolHost = {
  /** What the other party said last, oldest first. */
  personTurns(): readonly string[];
  /** Resolves when the transfer has begun; it takes the conversation over. */
  transfer(request: TransferRequest): Promise<TransferStarted>;
};

export type CallToolSetup = {
  line: readonly LineToolName[];
  /** Tools beyond the line. */
  more(host: ToolHost): readonly AgentTool[];
  run: RunTool;
  nextId(): string;
  limits: { tool_calls: number; hold_seconds: number };
};

/** For calls without an agent record, such as those of people in the sandbox: nothing is recorded. */
const usualSetup = (clock: MediaClock): CallToolSetup => ({
  line: ['end_call', 'send_digits'],
  more: () => [],
  run: (use, signal) => attemptTool(clock, use, signal),
  nextId: () => '',
  limits: { tool_calls: 30, hold_seconds: 600 },
});

export function callTools(
  deps: Omit<LineToolDeps, 'hold'>,
  host: ToolHost,
  setup: CallToolSetup = usualSetup(deps.clock),
) {
  const hold = newHold(setup.limits.hold_seconds);
  const tools = [...lineTools({ ...deps, hold }, setup.line), ...setup.more(host)];
  const work: ToolWork = {
    list: toolList(tools, setup.limits.tool_calls),
    run: setup.run,
    limit: limiter(calls_at_once),
    clock: deps.clock,
    nextId: setup.nextId,
    emit: deps.emit,
    since: deps.since,
    closing: new AbortController(),
    open: null,
    deferred: [],
    late: [],
    onLate: () => {},
  };
  return { work, hold };
}
