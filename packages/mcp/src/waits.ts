// Waits for a call to end, a message to arrive, a person to decide or the end of a stored wait, within the timeout of clients and with progress reports.
import { ApiError } from '@parley/sdk';
import { type Api, type Caller, type Fields, requestOptions } from './api.ts';
import { untrusted_field } from './record-treatment.ts';
import { shape } from './result.ts';
import type { CompiledTool, ToolCall } from './tool-set.ts';

/** Clients time out after 60 seconds without a response; the agent can call the tool again. */
const longest_seconds = 50;
const progress_seconds = 5;

const final_call = new Set(['completed', 'failed', 'busy', 'no_answer', 'canceled']);

type Wait = {
  fields: Fields;
  seconds: number;
  call: ToolCall;
  /** Sets the state that progress reports show. */
  note(state: string): void;
  ask(call: ToolCall, fields: Fields): Promise<Fields>;
};

export async function waitFor(tool: CompiledTool, input: Fields, caller: Caller, api: Api): Promise<Fields> {
  const { call } = tool;
  const { timeout_seconds, ...fields } = input;
  const seconds = clamp(timeout_seconds);
  let state = 'Waiting';
  let passed = 0;
  const ticker = setInterval(() => {
    passed += progress_seconds;
    void caller.progress?.(Math.min(passed, seconds), seconds, state).catch(() => {});
  }, progress_seconds * 1000);
  try {
    const result = await waits[call.waits_for!]({
      fields,
      seconds,
      call,
      note: (text) => {
        state = text;
      },
      ask: async (operation, query) =>
        (await api.call(caller.credential, operation, query, requestOptions(caller))).body,
    });
    return call.waits_for === 'anything' ? shownWait(result, call) : (shape(result, call.plan) as Fields);
  } finally {
    clearInterval(ticker);
  }
}

const clamp = (value: unknown) =>
  typeof value === 'number' && value >= 1 ? Math.min(longest_seconds, Math.floor(value)) : longest_seconds;

const waits: Record<NonNullable<ToolCall['waits_for']>, (wait: Wait) => Promise<Fields>> = {
  /** Polls in short waits, because each response shows the current status of the call. */
  async call({ fields, seconds, call, note, ask }) {
    const deadline = performance.now() + seconds * 1000;
    let last_wait: Fields | null = null;
    for (;;) {
      const left = Math.ceil((deadline - performance.now()) / 1000);
      const wait_seconds = Math.max(1, Math.min(progress_seconds, left));
      const request = ask({ ...call, input: 'query' }, { ...fields, wait_seconds });
      const record = await request.catch((error) => {
        // While the API shuts down it responds immediately and rejects the next request: return the last known status.
        if (last_wait && error instanceof ApiError && error.code === 'shutting_down') return null;
        throw error;
      });
      if (record === null) return { is_over: false, call: last_wait };
      last_wait = record;
      const is_over = final_call.has(String(record.status));
      if (is_over || performance.now() >= deadline) return { is_over, call: record };
      note(`The call is ${record.status}`);
    }
  },

  /** The response is the approval, decided or not. */
  approval: ({ fields, seconds, call, note, ask }) => {
    note('The approval is still pending');
    return ask({ ...call, input: 'query' }, { ...fields, wait_seconds: seconds });
  },

  /** The wait is stored: the first request creates it, and later calls name it. */
  anything: async ({ fields, seconds, call, note, ask }) => {
    note('Nothing happened yet');
    const { wait_id, ...wanted } = fields;
    if (wait_id === undefined) return ask(call, { ...wanted, wait_seconds: seconds });
    const read = { ...call, method: 'GET', path: `${call.path}/{wait_id}`, params: ['wait_id'] };
    return ask({ ...read, input: 'query' }, { wait_id, wait_seconds: seconds });
  },

  /** One request: with several, a message could arrive between two of them. */
  message: ({ fields, seconds, call, note, ask }) => {
    note('Nothing received yet');
    return ask(call, { ...fields, timeout_seconds: seconds });
  },
};

/** The record that ended the wait, treated as by the tools that read it; the code is text of another person. */
function shownWait({ id, status, matched }: Fields, { record_plans = {} }: ToolCall): Fields {
  if (!matched) return { wait_id: id, status, matched: null };
  const { object, code, ...match } = matched as Fields & { object: Fields & { noun: string } };
  const record = object.record === null ? null : shape(object.record, record_plans[object.noun]);
  return {
    wait_id: id,
    status,
    matched: { ...match, object: { ...object, record }, [untrusted_field]: { code } },
  };
}
