// Conformance suite of the LLM port: registers the same tests for every vendor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Llm, LlmFailed, type LlmRequest, type Tool, wholeReply } from './llm.ts';

/** One model per situation. Vendors without tools or without a network leave some of them out. */
export type LlmScenarios = {
  /** Replies to a greeting with a sentence. */
  speaks(): Promise<Llm>;
  /** Calls the tool `hang_up` after a goodbye. */
  hangsUp?(): Promise<Llm>;
  rejectsTheKey?(): Promise<Llm>;
  isOverloaded?(): Promise<Llm>;
  sendsGarbage?(): Promise<Llm>;
  breaksOff?(): Promise<Llm>;
  neverResponds?(): Promise<Llm>;
};

export const hang_up: Tool = {
  name: 'hang_up',
  description: 'Ends the call.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};

export const llmRequest = (said: string, more: Partial<LlmRequest> = {}): LlmRequest => ({
  system_prompt: 'Call the dentist and ask for an appointment on Tuesday.',
  turns: [{ role: 'user', content: said }],
  tools: [hang_up],
  language: 'en',
  model: null,
  signal: new AbortController().signal,
  ...more,
});

export function llmConformance(vendor: string, scenarios: LlmScenarios): void {
  const check = (
    promise: string,
    open: (() => Promise<Llm>) | undefined,
    run: (llm: Llm) => Promise<void>,
  ) => {
    if (open) test(`${vendor}: ${promise}`, async () => run(await open()));
  };
  const failure = (retryable: boolean) => (error: Error) =>
    error instanceof LlmFailed && error.retryable === retryable && error.message !== '';

  check('it replies with text', scenarios.speaks, async (llm) => {
    const { text } = await wholeReply(llm, llmRequest('Hello, who is there?'));
    assert.match(text, /\p{L}+ \p{L}+/u);
  });

  check('it can use a tool', scenarios.hangsUp, async (llm) => {
    const { tool_calls } = await wholeReply(llm, llmRequest('Goodbye.'));
    assert.deepEqual(
      tool_calls.map(({ name }) => name),
      ['hang_up'],
    );
    assert.ok(tool_calls[0]!.call_id !== '');
  });

  check('an aborted reply ends', scenarios.neverResponds ?? scenarios.speaks, async (llm) => {
    const aborted = new AbortController();
    const reply = wholeReply(llm, llmRequest('Hello?', { signal: aborted.signal }));
    aborted.abort(new Error('interrupted'));
    await assert.rejects(reply, /interrupted/);
  });

  check('a rejected key is not retryable', scenarios.rejectsTheKey, (llm) =>
    assert.rejects(wholeReply(llm, llmRequest('Hello?')), failure(false)),
  );
  check('an overload is retryable', scenarios.isOverloaded, (llm) =>
    assert.rejects(wholeReply(llm, llmRequest('Hello?')), failure(true)),
  );
  check('a response that is not understood is a failure, not a crash', scenarios.sendsGarbage, (llm) =>
    assert.rejects(wholeReply(llm, llmRequest('Hello?')), failure(false)),
  );
  check('a stream that breaks off is a retryable failure', scenarios.breaksOff, (llm) =>
    assert.rejects(wholeReply(llm, llmRequest('Hello?')), failure(true)),
  );
}
