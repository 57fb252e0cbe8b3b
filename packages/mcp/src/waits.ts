// Waiting for a call to end or a message to come in: never so long or so silently that a client gives up on us.
import { ApiError } from '@parley/sdk';
import type { Api, Caller, Fields } from './api.ts';
import { shape } from './result.ts';
import type { CompiledTool, ToolCall } from './tool-set.ts';

/** Clients give up after 60 seconds without an answer; the agent may simply ask again. */
const longest_seconds = 50;
const progress_seconds = 5;

const final_call = new Set(['completed', 'failed', 'busy', 'no_answer', 'canceled']);

type Wait = {
  fields: Fields;
  seconds: number;
  call: ToolCall;
  /** What is known so far, for those who watch. */
  note(state: string): void;
  ask(call: ToolCall, fields: Fields): Promise<Fields>;
};

export async function waitFor(tool: CompiledTool, asked: Fields, caller: Caller, api: Api): Promise<Fields> {
  const { call } = tool;
  const { timeout_seconds, ...fields } = asked;
  const seconds = clamp(timeout_seconds);
  let state = 'Waiting';
  let passed = 0;
  const ticker = setInterval(() => {
    passed += progress_seconds;
    void caller.progress?.(Math.min(passed, seconds), seconds, state).catch(() => {});
  }, progress_seconds * 1000);
  try {
    const answer = await waits[call.waits_for!]({
      fields,
      seconds,
      call,
      note: (text) => {
        state = text;
      },
      ask: async (operation, input) =>
        (await api.call(caller.credential, operation, input, caller.signal ? { signal: caller.signal } : {}))
          .body,
    });
    return shape(answer, call.plan) as Fields;
  } finally {
    clearInterval(ticker);
  }
}

const clamp = (value: unknown) =>
  typeof value === 'number' && value >= 1 ? Math.min(longest_seconds, Math.floor(value)) : longest_seconds;

const waits: Record<NonNullable<ToolCall['waits_for']>, (wait: Wait) => Promise<Fields>> = {
  /** In slices, because each tells how the call stands. */
  async call({ fields, seconds, call, note, ask }) {
    const deadline = performance.now() + seconds * 1000;
    let known: Fields | null = null;
    for (;;) {
      const left = Math.ceil((deadline - performance.now()) / 1000);
      const wait_seconds = Math.max(1, Math.min(progress_seconds, left));
      const asked = ask({ ...call, input: 'query' }, { ...fields, wait_seconds });
      const record = await asked.catch((error) => {
        // The API answers at once while it stops, and refuses the next request: what is known is the answer.
        if (known && error instanceof ApiError && error.code === 'shutting_down') return null;
        throw error;
      });
      if (record === null) return { is_over: false, call: known };
      known = record;
      const is_over = final_call.has(String(record.status));
      if (is_over || performance.now() >= deadline) return { is_over, call: record };
      note(`The call is ${record.status}`);
    }
  },

  /** In one request: between two of them a message could slip through. */
  message: ({ fields, seconds, call, note, ask }) => {
    note('Nothing came yet');
    return ask(call, { ...fields, timeout_seconds: seconds });
  },
};
