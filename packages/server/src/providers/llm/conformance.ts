// What every llm keeps: registers the same tests for any vendor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Llm, LlmFailed, type LlmRequest, type Tool, wholeReply } from './llm.ts';

/** A model behind which something happens; vendors without tools or without a network leave some out. */
export type LlmScenes = {
  /** Says a sentence to a greeting. */
  speaks(): Promise<Llm>;
  /** Asks to hang up after a goodbye. */
  hangsUp?(): Promise<Llm>;
  refuses?(): Promise<Llm>;
  isOverloaded?(): Promise<Llm>;
  talksGarbage?(): Promise<Llm>;
  breaksOff?(): Promise<Llm>;
  neverAnswers?(): Promise<Llm>;
};

export const hang_up: Tool = {
  name: 'hang_up',
  description: 'Ends the call.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};

export const thought = (said: string, more: Partial<LlmRequest> = {}): LlmRequest => ({
  system_prompt: 'Call the dentist and ask for an appointment on Tuesday.',
  turns: [{ role: 'user', content: said }],
  tools: [hang_up],
  language: 'en',
  model: null,
  signal: new AbortController().signal,
  ...more,
});

export function llmConformance(vendor: string, scenes: LlmScenes): void {
  const promise = (
    sentence: string,
    open: (() => Promise<Llm>) | undefined,
    check: (llm: Llm) => Promise<void>,
  ) => {
    if (open) test(`${vendor}: ${sentence}`, async () => check(await open()));
  };
  const failure = (retryable: boolean) => (error: Error) =>
    error instanceof LlmFailed && error.retryable === retryable && error.message !== '';

  promise('it says something', scenes.speaks, async (llm) => {
    const { text } = await wholeReply(llm, thought('Hello, who is there?'));
    assert.match(text, /\p{L}+ \p{L}+/u);
  });

  promise('it can use a tool', scenes.hangsUp, async (llm) => {
    const { tool_calls } = await wholeReply(llm, thought('Goodbye.'));
    assert.deepEqual(
      tool_calls.map(({ name }) => name),
      ['hang_up'],
    );
    assert.ok(tool_calls[0]!.call_id !== '');
  });

  promise('a reply that nobody wants any more ends', scenes.neverAnswers ?? scenes.speaks, async (llm) => {
    const unwanted = new AbortController();
    const reply = wholeReply(llm, thought('Hello?', { signal: unwanted.signal }));
    unwanted.abort(new Error('interrupted'));
    await assert.rejects(reply, /interrupted/);
  });

  promise('a refusal is not worth a second try', scenes.refuses, (llm) =>
    assert.rejects(wholeReply(llm, thought('Hello?')), failure(false)),
  );
  promise('an overload is worth a second try', scenes.isOverloaded, (llm) =>
    assert.rejects(wholeReply(llm, thought('Hello?')), failure(true)),
  );
  promise('garbage is a failure, not a crash', scenes.talksGarbage, (llm) =>
    assert.rejects(wholeReply(llm, thought('Hello?')), failure(false)),
  );
  promise('a stream that breaks off is a failure', scenes.breaksOff, (llm) =>
    assert.rejects(wholeReply(llm, thought('Hello?')), failure(true)),
  );
}
