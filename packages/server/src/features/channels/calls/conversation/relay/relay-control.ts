// Connects a conversation with a relay: what the relay says on its own, keys, languages, its end and its failure.
import type { FromRelay, RelayLink } from '../../../../../providers/relay/relay.ts';
import { whenQuiet } from '../control.ts';
import {
  type Conversation,
  currentTurn,
  endConversation,
  isApologizing,
  isEnded,
  isTransferring,
  stopTurn,
} from '../conversation-state.ts';
import { owesFirstMessage, saysFirstMessage } from '../speak/first-message.ts';
import { phrasesFor } from '../speak/phrases.ts';
import { pressKeys } from '../tools/line-tools.ts';
import { handoffRequest } from '../transfer/handoff.ts';
import { requestTransfer } from '../transfer/run-transfer.ts';
import { sayModelReply } from '../turns/model-turn.ts';
import { apologize, reportFailure, takeTurn } from '../turns/take-turn.ts';
import {
  isTalking,
  openTalk,
  type RelaySettings,
  type RelayTalk,
  sendPartialPrompt,
  startTalk,
  stopTalk,
} from './relay-talk.ts';

export function connectTalk(
  conversation: Conversation,
  { link, settings }: { link: RelayLink; settings: RelaySettings },
  setLanguage: (language: string) => void,
): void {
  const { turn_deps, clock } = conversation;
  const talk = openTalk(link, settings, { clock, language: conversation.call.language });
  turn_deps.relay = talk;
  talk.onCycle = () => speakUnasked(conversation, talk);
  talk.onEndFrame = (handoff_data) =>
    conversation.emit({ kind: 'relay_ended', at_ms: conversation.now(), handoff_data });
  const end = () => {
    relayEnded(conversation, talk).catch((error: Error) => {
      reportFailure(conversation, 'relay', error);
      endConversation(conversation, 'agent_hangup');
    });
  };
  talk.onEnd = () => {
    if (owesFirstMessage(conversation) || saysFirstMessage(conversation)) conversation.queued.push(end);
    else end();
  };
  talk.onFailure = (error) => {
    if (isEnded(conversation)) return;
    // The person and the colleague need no relay to talk. If the transfer fails, resume() follows up.
    if (settings.fallback || isTransferring(conversation)) reportFailure(conversation, 'relay', error);
    else void apologize(conversation, 'relay', error);
  };
  talk.onDigits = (digits) => {
    pressKeys(conversation, digits).then(
      () => conversation.emit({ kind: 'digits_sent', at_ms: conversation.now(), digits }),
      (error: Error) => reportFailure(conversation, 'relay', error),
    );
  };
  talk.onLanguage = (frame) => changeLanguage(conversation, talk, frame, setLanguage);
  startTalk(talk);
}

/** An engine that does not support the language keeps its own, and the relay receives an error. */
function changeLanguage(
  conversation: Conversation,
  talk: RelayTalk,
  { ttsLanguage, transcriptionLanguage }: Extract<FromRelay, { type: 'language' }>,
  setLanguage: (language: string) => void,
): void {
  const { turn_deps, engines } = conversation;
  const { tts } = turn_deps.player;
  const checkLanguage = (of: 'stt' | 'tts', language: string) => {
    const { languages } = (of === 'tts' ? tts : engines.stt).capabilities;
    const is_supported = languages === null || languages.includes(language.split('-')[0]!.toLowerCase());
    if (!is_supported)
      talk.link.send({ type: 'error', description: `language: ${language} is not available (${of}).` });
    return is_supported;
  };
  if (ttsLanguage && checkLanguage('tts', ttsLanguage)) {
    turn_deps.player = { ...turn_deps.player, language: ttsLanguage };
    conversation.phrases = phrasesFor(ttsLanguage);
  }
  if (transcriptionLanguage && checkLanguage('stt', transcriptionLanguage)) {
    talk.language = transcriptionLanguage;
    setLanguage(transcriptionLanguage);
  }
}

/** The relay ended its session and its last words were said. It receives nothing more. */
async function relayEnded(conversation: Conversation, talk: RelayTalk): Promise<void> {
  // The person and the colleague need no relay to talk. If the transfer fails, resume() follows up.
  if (isTransferring(conversation)) return stopTalk(talk);
  const handoff = talk.end?.handoff ?? null;
  // A turn may wait for words of the relay.
  stopTurn(conversation);
  stopTalk(talk);
  const request = handoffRequest(conversation, talk.settings, handoff);
  const started = request && (await requestTransfer(conversation, request));
  if (started?.outcome !== 'started') endConversation(conversation, 'agent_hangup');
}

/** What the relay says waits until its previous message was spoken, unless that one may be interrupted. */
function speakUnasked(conversation: Conversation, talk: RelayTalk): void {
  if (isEnded(conversation) || isApologizing(conversation)) return;
  const speak = () => {
    // A reply to the person may have taken the cycle meanwhile.
    if (talk.cycles.length > 0)
      void takeTurn(conversation, () => sayModelReply(conversation.turn_deps, null));
  };
  if (talk.speaking?.preemptible && currentTurn(conversation)) {
    stopTurn(conversation);
    speak();
  } else {
    whenQuiet(conversation, speak);
  }
}

/** Sends what the person says while it is said, once a human was detected: speech of an answering machine is not sent. */
export function partialPrompt(conversation: Conversation, text: string): void {
  const { relay } = conversation.turn_deps;
  if (!isTalking(relay) || !relay.settings.partial_prompts || conversation.party !== 'human') return;
  if (!isTransferring(conversation) && !isApologizing(conversation)) sendPartialPrompt(relay, text);
}

/** True if the relay takes care of the key, also when it does not want keys and the key is dropped. */
export function relayKey(conversation: Conversation, digit: string): boolean {
  const { relay } = conversation.turn_deps;
  if (!isTalking(relay)) return false;
  if (!relay.settings.dtmf) return true;
  const turn = currentTurn(conversation);
  if (turn && relay.speaking && turn.mayInterrupt('dtmf')) stopTurn(conversation);
  relay.link.send({ type: 'dtmf', digit });
  return true;
}
