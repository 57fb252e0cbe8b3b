// What a person says while they wait for a colleague: the model answers briefly, or cancels the transfer.
import { type Tool, wholeReply } from '../../../../../providers/llm/llm.ts';
import { type Conversation, isEnded } from '../conversation-state.ts';
import { isBackChannel } from '../listen/back-channel.ts';
import { phone_manners } from '../tools/tools.ts';
import { sayText } from '../turns/turn.ts';
import { transferPhrases } from './transfer-phrases.ts';
import type { WaitingSound } from './waiting-sound.ts';

const cancel_transfer: Tool = {
  name: 'cancel_transfer',
  description: 'Stops the transfer. Use it only when the person does not want to be put through any more.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};
const note =
  'You are putting the person through, and they wait. Answer what they said in one short sentence, or use cancel_transfer.';
const answer_timeout_ms = 8000;

/** True when the transfer is to be canceled. */
export async function answerWaiting(
  conversation: Conversation,
  text: string,
  sound: WaitingSound,
  signal: AbortSignal,
): Promise<boolean> {
  const { turns, turn_deps, call } = conversation;
  turns.push({ role: 'user', content: text });
  if (transferPhrases(call.language).never_mind.test(text)) return true;
  // The rule-based model would go on with its own questions.
  if (isBackChannel(text) || turn_deps.llm.name === 'offline') return false;
  const answer = await askModel(conversation, signal).catch(() => null);
  if (answer === null || signal.aborted || isEnded(conversation)) return false;
  if (answer.tool_calls.some(({ name }) => name === cancel_transfer.name)) return true;
  if (answer.text.trim() === '') return false;
  sound.pause();
  const turn = sayText(turn_deps, answer.text);
  const stop = () => turn.stop();
  signal.addEventListener('abort', stop, { once: true });
  await turn.done.catch(() => {});
  signal.removeEventListener('abort', stop);
  if (!signal.aborted) sound.resume();
  return false;
}

async function askModel({ turn_deps, clock, call, turns }: Conversation, signal: AbortSignal) {
  const timeout = new AbortController();
  const cancelTimeout = clock.after(answer_timeout_ms, () => timeout.abort(new Error('too slow')));
  try {
    return await wholeReply(turn_deps.llm, {
      system_prompt: call.system_prompt,
      channel_instructions: phone_manners,
      turns: [...turns, { role: 'note', content: note }],
      tools: [cancel_transfer],
      language: call.language,
      model: call.model,
      signal: AbortSignal.any([signal, timeout.signal]),
    });
  } finally {
    cancelTimeout();
  }
}
