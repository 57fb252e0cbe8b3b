// Waiting for a call to end or a message to come in: never so long or so silently that a client gives up on us.
import type { Api } from './api.ts';
import { shape } from './result.ts';
import type { Caller, Fields } from './run-tool.ts';
import type { CompiledTool, ToolCall } from './tool-set.ts';

/** Clients give up after 60 seconds without an answer; the agent may simply ask again. */
const longest_seconds = 50;
const progress_seconds = 5;
const mail_poll_ms = 1000;

const final_call = new Set(['completed', 'failed', 'busy', 'no_answer', 'canceled']);

type Wait = {
  fields: Fields;
  seconds: number;
  call: ToolCall;
  /** What is known so far, for those who watch. */
  note(state: string): void;
  ask(call: ToolCall, fields: Fields): Promise<Fields>;
  signal: AbortSignal | undefined;
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
      signal: caller.signal,
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
    for (;;) {
      const left = Math.ceil((deadline - performance.now()) / 1000);
      const wait_seconds = Math.max(1, Math.min(progress_seconds, left));
      const record = await ask({ ...call, input: 'query' }, { ...fields, wait_seconds });
      const is_over = final_call.has(String(record.status));
      if (is_over || performance.now() >= deadline) return { is_over, call: record };
      note(`The call is ${record.status}`);
    }
  },

  /** In one request: between two of them a text could slip through. */
  sms: ({ fields, seconds, call, note, ask }) => {
    note('No text yet');
    return ask(call, { ...fields, timeout_seconds: seconds });
  },

  /** What is there at the first look does not count, unless the caller says since when to count. */
  async email({ fields, seconds, call, note, ask, signal }) {
    note('No email yet');
    const { from, since, ...filter } = fields;
    const deadline = performance.now() + seconds * 1000;
    const from_time = typeof since === 'string' ? Date.parse(since) : null;
    let known: Set<string> | null = null;
    for (;;) {
      const page = await ask(call, { ...filter, direction: 'inbound', limit: 50 });
      const items = page.items as { id: string; requested_at: string; from_address: string }[];
      known ??= new Set(from_time === null ? items.map(({ id }) => id) : []);
      const fresh = items.filter(
        (email) =>
          !known!.has(email.id) &&
          (from_time === null || Date.parse(email.requested_at) >= from_time) &&
          (from === undefined || email.from_address.toLowerCase() === String(from).toLowerCase()),
      );
      // The list begins with the newest; who waits wants the first that came.
      const email = fresh.at(-1) ?? null;
      if (email || performance.now() >= deadline) return { email };
      await pause(Math.min(mail_poll_ms, Math.max(1, deadline - performance.now())), signal);
    }
  },
};

const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
