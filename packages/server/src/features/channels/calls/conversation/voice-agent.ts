// The agent on the phone: connects the line, the listener and the model for one conversation. Uses no HTTP and no database.
import type { RecordTrace } from '../../../../platform/tracing/trace-below.ts';
import type { Llm, Turn } from '../../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../../providers/media/media-session.ts';
import type { RelayLink } from '../../../../providers/relay/relay.ts';
import type { Stt } from '../../../../providers/stt/stt.ts';
import type { Tts } from '../../../../providers/tts/tts.ts';
import type { Vad } from '../../../../providers/vad/vad.ts';
import { type ConversationControl, controlOf } from './control.ts';
import {
  type Conversation,
  currentTurn,
  endConversation,
  holdTurn,
  isApologizing,
  isEnded,
  isTransferring,
  resumeTurn,
  setTimer,
  stopTurn,
} from './conversation-state.ts';
import type { Fact, SpokenCallEnd } from './facts.ts';
import { isBackChannel } from './listen/back-channel.ts';
import { type HeardTurn, type Listener, type ListenerCallbacks, openListener } from './listen/listener.ts';
import { noteLost, speechLost } from './listen/not-understood.ts';
import { connectTalk, partialPrompt, relayKey } from './relay/relay-control.ts';
import { type RelaySettings, stopTalk } from './relay/relay-talk.ts';
import {
  goesOn,
  isEarly,
  newFirstMessage,
  owesFirstMessage,
  saysFirstMessage,
} from './speak/first-message.ts';
import { phrasesFor } from './speak/phrases.ts';
import type { SpokenCall } from './spoken-call.ts';
import { default_timeouts, type Timeouts } from './timeouts.ts';
import { type CallToolSetup, callTools } from './tools/call-tools.ts';
import { keysNote } from './tools/tools.ts';
import { requestTransfer } from './transfer/run-transfer.ts';
import type { TransferPort } from './transfer/transfer-port.ts';
import { sayModelReply } from './turns/model-turn.ts';
import {
  apologize,
  askToRepeat,
  reply,
  reportFailure,
  takeFirstTurn,
  takeTurn,
  tellLate,
  waitForSpeech,
  waitToOpen,
} from './turns/take-turn.ts';
import { tracedListening } from './turns/traced-turns.ts';
import {
  leaveMessage,
  machineAnswered,
  mayBeMachine,
  waitForGreetingEnd,
} from './voicemail/leave-message.ts';
import { beepDetector, soundsLikeMachine } from './voicemail/voicemail.ts';

export type SpeechEngines = { vad: Vad; stt: Stt; tts: Tts; llm: Llm };

export type VoiceAgentDeps = SpeechEngines & {
  clock: MediaClock;
  emit(fact: Fact): void;
  timeouts?: Timeouts;
  /** Called once, with what can be done to the conversation from outside. */
  opened?(control: ConversationControl): void;
  /** Default: the tools of the line, without records. */
  tools?: CallToolSetup | undefined;
  /** A program of the organization that replies in place of the model. */
  relay?: { link: RelayLink; settings: RelaySettings } | undefined;
  transfers?: TransferPort | undefined;
  /** The spans of the call; null or left out: tracing is off. */
  trace?: RecordTrace | null;
};

/** Longer speech over the agent is an interruption whatever is said; shorter speech may be an "uh-huh". */
const interruption_ms = 700;
/** When less than this of the agent's turn is left, an "okay" is a reply. */
const nearly_done_ms = 600;
const keys_pause_ms = 1500;
const max_keys = 64;
const tolerated_stt_failures = 2;
const cut_off_turn_timeout_ms = 3000;
/** How many turns of the person tools may look at. */
const remembered_turns = 5;

/** Resolves when the conversation is over and the line is closed. Aborting the signal hangs up. */
export async function speakOnCall(
  deps: VoiceAgentDeps,
  session: MediaSession,
  call: SpokenCall,
  signal: AbortSignal,
): Promise<SpokenCallEnd> {
  const opened_ms = deps.clock.ms();
  const since = (ms: number) => Math.max(0, Math.round(ms - opened_ms));
  const conversation = newConversation(deps, session, call, since, () => listener);
  const personSaid = ({ text, started_ms, ended_ms }: HeardTurn) =>
    deps.emit({
      kind: 'said',
      speaker: 'person',
      text,
      started_ms: since(started_ms),
      ended_ms: since(ended_ms),
      is_interrupted: false,
      is_filler: false,
      timings: null,
    });
  const listener = openListener({
    ...deps,
    language: call.language,
    endpoint: conversation.timeouts.endpoint,
    lost_speech_ms: conversation.timeouts.lost_speech_ms,
    callbacks: tracedListening(
      conversation.trace,
      listenerCallbacks(conversation, personSaid, deps.relay?.settings.partial_prompts === true),
      conversation.ended.promise,
    ),
  });
  if (deps.relay) connectTalk(conversation, deps.relay, (language) => listener.setLanguage(language));
  receiveFrames(conversation, (frame) => listener.push(frame));
  receiveKeys(conversation);
  waitToOpen(conversation);
  const stopWatching = watchForEnd(conversation, signal);
  deps.opened?.(controlOf(conversation));

  const end = await conversation.ended.promise;
  stopWatching();
  if (conversation.turn_deps.relay) stopTalk(conversation.turn_deps.relay);
  session.close();
  const timeout = new Promise<null>((resolve) =>
    deps.clock.after(cut_off_turn_timeout_ms, () => resolve(null)),
  );
  await Promise.race([conversation.transfer_done, timeout]);
  const cut_off_turn = await Promise.race([listener.finish(), timeout]);
  if (cut_off_turn) personSaid(cut_off_turn);
  const lost = listener.lostAtEnd();
  if (lost && conversation.party !== 'machine') noteLost(conversation, lost);
  listener.close();
  return end;
}

function newConversation(
  deps: VoiceAgentDeps,
  session: MediaSession,
  call: SpokenCall,
  since: (ms: number) => number,
  listener: () => Listener,
): Conversation {
  const { clock, emit, timeouts = default_timeouts } = deps;
  const { voice, language } = call;
  const phrases = phrasesFor(language);
  const turns: Turn[] = [];
  const is_inbound = call.direction === 'inbound';
  const person_turns: string[] = [];
  const { work, hold } = callTools(
    { ...deps, session, since },
    {
      personTurns: () => person_turns,
      transfer: (request) => requestTransfer(conversation, request),
    },
    deps.tools,
  );
  const conversation: Conversation = {
    state: { name: 'opening' },
    party: is_inbound ? 'human' : 'unknown',
    exchange: is_inbound ? 'both_spoke' : 'nothing_said',
    first_message: newFirstMessage(call.first_message),
    turns,
    stt_failures: 0,
    silences: 0,
    losses: 0,
    waits_for_peer: 0,
    keys: '',
    queued: [],
    cancelTimer: { opening: () => {}, silence: () => {}, keys: () => {}, limit: () => {} },
    call,
    session,
    clock,
    timeouts,
    phrases,
    turn_deps: {
      llm: deps.llm,
      player: { session, tts: deps.tts, clock, voice, language },
      clock,
      call,
      turns,
      first_token_timeout_ms: timeouts.first_token_ms,
      tools: work,
      phrases,
      disclosure: { text: call.ai_disclosure ? phrases.disclosure : null, is_heard: false },
      emit,
      since,
    },
    engines: deps,
    transfers: deps.transfers ?? null,
    trace: deps.trace ?? null,
    transfer_done: null,
    hold,
    person_turns,
    isPersonSpeaking: () => listener().isSpeaking(),
    hearing: () => listener().hearing(),
    emit,
    now: () => since(clock.ms()),
    ended: Promise.withResolvers(),
  };
  work.onLate = () => void tellLate(conversation);
  return conversation;
}

function listenerCallbacks(
  conversation: Conversation,
  personSaid: (turn: HeardTurn) => void,
  asks_partials: boolean,
): ListenerCallbacks {
  const { cancelTimer, clock } = conversation;
  return {
    speechStarted(sound_ms) {
      // The first message does not wait for words: its own timer looks whether they still speak.
      if (conversation.first_message.state !== 'waiting') cancelTimer.opening();
      cancelTimer.silence();
      const turn = currentTurn(conversation);
      if (!turn || conversation.party === 'machine' || isApologizing(conversation)) return;
      if (!turn.mayInterrupt('speech')) return;
      holdTurn(conversation, turn);
      const clear_ms = clock.ms() - sound_ms;
      conversation.emit({ kind: 'interrupted', at_ms: conversation.now(), clear_ms });
    },
    speechContinued(speech_ms) {
      const is_interruption = speech_ms >= interruption_ms && !saysFirstMessage(conversation);
      if (conversation.state.name === 'held' && is_interruption) stopTurn(conversation);
    },
    ...(asks_partials ? { partial: (text: string) => partialPrompt(conversation, text) } : {}),
    turnEnded(turn) {
      if (turn.text === '') return handleNoise(conversation);
      conversation.silences = 0;
      conversation.losses = 0;
      conversation.waits_for_peer = 0;
      personSaid(turn);
      remember(conversation, turn.text);
      handleSpeech(conversation, turn);
    },
    speechLost: (speech) => speechLost(conversation, speech),
    vadLate: () =>
      reportFailure(conversation, 'vad', new Error('Detection is late: the level of the sound decides.')),
    failed(layer, error) {
      conversation.stt_failures++;
      // The person and the colleague need no recognition to talk.
      if (isTransferring(conversation)) return reportFailure(conversation, layer, error);
      const is_temporary = layer === 'stt' && 'retryable' in error && error.retryable === true;
      if (!is_temporary || conversation.stt_failures > tolerated_stt_failures)
        return void apologize(conversation, layer, error);
      if (isApologizing(conversation) || isEnded(conversation)) return;
      reportFailure(conversation, layer, error);
      if (saysFirstMessage(conversation)) resumeTurn(conversation);
      else if (conversation.first_message.state === 'waiting') takeFirstTurn(conversation);
      else askToRepeat(conversation);
    },
  };
}

function remember({ person_turns }: Conversation, text: string): void {
  person_turns.push(text);
  if (person_turns.length > remembered_turns) person_turns.shift();
}

function handleNoise(conversation: Conversation): void {
  if (isEnded(conversation) || isTransferring(conversation)) return;
  resumeTurn(conversation);
  if (conversation.party === 'machine') waitForGreetingEnd(conversation);
  else if (conversation.state.name === 'opening') waitToOpen(conversation);
  else if (!currentTurn(conversation)) {
    // The noise stopped a turn that waited for tools: the agent goes on with their results.
    if (conversation.turn_deps.tools.open)
      void takeTurn(conversation, () => sayModelReply(conversation.turn_deps, null));
    else waitForSpeech(conversation);
  }
}

function handleSpeech(conversation: Conversation, heard: HeardTurn): void {
  if (conversation.state.name === 'transferring') conversation.state.personSaid(heard.text);
  if (isTransferring(conversation)) return;
  if (isApologizing(conversation) || isEnded(conversation)) return;
  if (conversation.party === 'machine') {
    waitForGreetingEnd(conversation);
    return;
  }
  if (conversation.exchange === 'agent_spoke') conversation.exchange = 'both_spoke';
  if (mayBeMachine(conversation) && soundsLikeMachine(heard.text)) {
    machineAnswered(conversation);
    return;
  }
  if (conversation.party === 'unknown') {
    conversation.party = 'human';
    conversation.emit({ kind: 'answered_by', at_ms: conversation.now(), by: 'human' });
  }
  if (goesOn(conversation, heard.text, isEarly(conversation, heard))) return;
  const { state } = conversation;
  const is_agreement =
    state.name === 'held' && isBackChannel(heard.text) && state.turn.remaining_ms() > nearly_done_ms;
  if (is_agreement) resumeTurn(conversation);
  else reply(conversation, heard, heard.text);
}

function receiveFrames(conversation: Conversation, listen: (frame: Int16Array) => void): void {
  const isBeep = beepDetector();
  conversation.session.onFrame((frame) => {
    if (isEnded(conversation)) return;
    if (conversation.state.name === 'bridged') conversation.state.bridge.fromFirst(frame);
    else if ((mayBeMachine(conversation) || conversation.party === 'machine') && isBeep(frame)) {
      if (conversation.party !== 'machine') machineAnswered(conversation);
      leaveMessage(conversation);
    }
    listen(frame);
  });
}

/** Keys are collected until a pause, so that the model gets a menu choice or a number in one piece. */
function receiveKeys(conversation: Conversation): void {
  conversation.session.onDigit((digit) => {
    if (isEnded(conversation)) return;
    conversation.emit({ kind: 'digits_pressed', at_ms: conversation.now(), digits: digit });
    if (conversation.state.name === 'bridged') conversation.state.bridge.digitFromFirst(digit);
    if (isTransferring(conversation)) return;
    if (relayKey(conversation, digit)) return;
    const is_early = owesFirstMessage(conversation);
    conversation.keys = (conversation.keys + digit).slice(-max_keys);
    conversation.cancelTimer.opening();
    setTimer(conversation, 'keys', keys_pause_ms, () => {
      const pressed = conversation.keys;
      conversation.keys = '';
      if (isTransferring(conversation)) return;
      if (conversation.party === 'machine' || isApologizing(conversation)) return;
      if (!goesOn(conversation, keysNote(pressed), is_early)) reply(conversation, null, keysNote(pressed));
    });
  });
}

/** Ends the conversation when the service hangs up, the line closes or the call reaches its longest duration. */
function watchForEnd(conversation: Conversation, signal: AbortSignal): () => void {
  const { call, session } = conversation;
  setTimer(conversation, 'limit', call.max_duration_ms, () => endConversation(conversation, 'max_duration'));
  const hangUp = () => {
    const { reason } = signal;
    const is_named = reason === 'force_closed' || reason === 'insufficient_funds';
    endConversation(conversation, is_named ? reason : 'api_hangup');
  };
  if (signal.aborted) hangUp();
  signal.addEventListener('abort', hangUp);
  void session.closed.then((end) => {
    if (end.by === 'them') endConversation(conversation, 'callee_hangup');
    if (end.by === 'failure') endConversation(conversation, 'media_failure', end.detail);
  });
  return () => signal.removeEventListener('abort', hangUp);
}
