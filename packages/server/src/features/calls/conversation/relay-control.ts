// Connects a conversation with a relay: what it says without being asked, keys, languages, its end and its failure.
import type { FromRelay, RelayLink } from '../../../providers/relay/relay.ts';
import { whenQuiet } from './control.ts';
import {
  type Conversation,
  currentTurn,
  endConversation,
  isApologizing,
  isEnded,
  isTransferring,
  stopTurn,
} from './conversation-state.ts';
import { pressKeys } from './line-tools.ts';
import { sayModelReply } from './model-turn.ts';
import { phrasesFor } from './phrases.ts';
import {
  isTalking,
  openTalk,
  type RelaySettings,
  type RelayTalk,
  sendPartialPrompt,
  startTalk,
  stopTalk,
} from './relay-talk.ts';
import { apologize, reportFailure, takeTurn } from './take-turn.ts';
import { handoffRequest } from './transfer/handoff.ts';
import { requestTransfer } from './transfer/run-transfer.ts';

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
  talk.onEnd = () => void relayEnded(conversation, talk);
  talk.onFailure = (error) => {
    if (isEnded(conversation)) return;
    if (settings.fallback) reportFailure(conversation, 'relay', error);
    else void apologize(conversation, 'relay', error);
  };
  talk.onDigits = (digits) => {
    void pressKeys(conversation, digits).then(() =>
      conversation.emit({ kind: 'digits_sent', at_ms: conversation.now(), digits }),
    );
  };
  talk.onLanguage = (frame) => changeLanguage(conversation, talk, frame, setLanguage);
  startTalk(talk);
}

/** An engine that does not have the language keeps its own, and the relay is told. */
function changeLanguage(
  conversation: Conversation,
  talk: RelayTalk,
  { ttsLanguage, transcriptionLanguage }: Extract<FromRelay, { type: 'language' }>,
  setLanguage: (language: string) => void,
): void {
  const { turn_deps, engines } = conversation;
  const { tts } = turn_deps.player;
  const isSpoken = (of: 'stt' | 'tts', language: string) => {
    const { languages } = (of === 'tts' ? tts : engines.stt).capabilities;
    const is_spoken = languages === null || languages.includes(language.split('-')[0]!.toLowerCase());
    if (!is_spoken)
      talk.link.send({ type: 'error', description: `language: ${language} is not available (${of}).` });
    return is_spoken;
  };
  if (ttsLanguage && isSpoken('tts', ttsLanguage)) {
    turn_deps.player = { ...turn_deps.player, language: ttsLanguage };
    conversation.phrases = phrasesFor(ttsLanguage);
  }
  if (transcriptionLanguage && isSpoken('stt', transcriptionLanguage)) {
    talk.language = transcriptionLanguage;
    setLanguage(transcriptionLanguage);
  }
}

/** Everything that the relay wanted to say was said. It has no part in what follows. */
async function relayEnded(conversation: Conversation, talk: RelayTalk): Promise<void> {
  const handoff = talk.end?.handoff ?? null;
  // A turn may wait for words of the relay.
  stopTurn(conversation);
  stopTalk(talk);
  const request = handoffRequest(conversation, talk.settings, handoff);
  const started = request && (await requestTransfer(conversation, request));
  if (started?.outcome !== 'started') endConversation(conversation, 'agent_hangup');
}

/** A cycle waits for the one before, unless that one gives way to it. */
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

/** What the person says is given to the relay while it is said. Who answered must be known: a machine is not the relay's. */
export function partialPrompt(conversation: Conversation, text: string): void {
  const { relay } = conversation.turn_deps;
  if (!isTalking(relay) || !relay.settings.partial_prompts || conversation.party !== 'human') return;
  if (!isTransferring(conversation) && !isApologizing(conversation)) sendPartialPrompt(relay, text);
}

/** False when keys are not given to a relay. */
export function relayKey(conversation: Conversation, digit: string): boolean {
  const { relay } = conversation.turn_deps;
  if (!isTalking(relay)) return false;
  if (!relay.settings.dtmf) return true;
  const turn = currentTurn(conversation);
  if (turn && relay.speaking && turn.mayInterrupt('dtmf')) stopTurn(conversation);
  relay.link.send({ type: 'dtmf', digit });
  return true;
}
