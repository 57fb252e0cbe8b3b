// Tools and records of tool calls in memory, for tests of the agent's runtime.
import type {
  AgentTool,
  NewToolCall,
  ToolOutcome,
  ToolRecords,
} from '../src/features/agents/runtime/index.ts';
import type { EarlierToolCall } from '../src/features/agents/runtime/records/tool-records.ts';

type StoredToolCall = NewToolCall & EarlierToolCall;

export function memoryToolRecords(): ToolRecords & { rows: StoredToolCall[] } {
  const rows: StoredToolCall[] = [];
  const find = (id: string) => rows.find((row) => row.id === id)!;
  return {
    rows,
    async begin(call) {
      rows.push({ ...call, status: 'running', outcome: null });
    },
    async settle({ id }, outcome) {
      const status =
        outcome.outcome === 'failed' && outcome.error === 'cancelled' ? 'cancelled' : outcome.outcome;
      Object.assign(find(id), { status, outcome });
      return outcome;
    },
    async earlier(key) {
      return (
        rows.findLast(
          (row) =>
            row.message_id === key.message_id &&
            row.round === key.round &&
            row.name === key.name &&
            row.arguments_hash === key.arguments_hash,
        ) ?? null
      );
    },
    async wasLost({ id }) {
      find(id).status = 'unknown';
    },
  };
}

/** A tool that takes any arguments. By default a read that is done immediately. */
export const testTool = (
  name: string,
  more: Partial<AgentTool> & { answer?: ToolOutcome } = {},
): AgentTool => {
  const { answer = { outcome: 'done', content: 'ok' }, ...rest } = more;
  return {
    name,
    description: `The tool ${name}.`,
    parameters: { type: 'object', properties: {} },
    kind: 'http',
    effect: 'read',
    timeout_ms: 8000,
    speech: null,
    redact: [],
    runs_alone: false,
    run: async () => answer,
    ...rest,
  };
};
