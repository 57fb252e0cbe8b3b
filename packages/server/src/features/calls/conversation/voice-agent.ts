// The agent on the phone: listens, thinks, speaks, and can be interrupted. Knows nothing of HTTP or the database.
import type { Llm, Turn } from '../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../providers/media/media-session.ts';
import type { Stt } from '../../../providers/stt/stt.ts';
import { type Tts, TtsFailed } from '../../../providers/tts/tts.ts';
import type { Vad } from '../../../providers/vad/vad.ts';
import { isBackChannel } from './back-channel.ts';
import { type Endpoint, quick_endpoint } from './endpoint.ts';
import type { AgentEndReason, Fact, SpokenCallEnd } from './facts.ts';
import { type Heard, openEar } from './listener.ts';
import { phrasesFor } from './phrases.ts';
import { mouth } from './player.ts';
import type { SpokenCall } from './spoken-call.ts';
import { keysNote, voicemail_note } from './tools.ts';
import { type Answer, speaker } from './turn.ts';
import { beepDetector, soundsLikeMachine } from './voicemail.ts';

export type SpeechEngines = { vad: Vad; stt: Stt; tts: Tts; llm: Llm };

export type Patience = {
  endpoint: Endpoint;
  /** Before the agent opens the conversation: whoever is called says hello first, whoever calls expects a greeting. */
  opening_ms: { outbound: number; inbound: number };
  silence_ms: number;
  /** For the first piece of a thought. */
  thinking_ms: number;
};

export const usual_patience: Patience = {
  endpoint: quick_endpoint,
  opening_ms: { outbound: 1500, inbound: 300 },
  silence_ms: 8000,
  thinking_ms: 10_000,
};

/** Longer speech over the agent is no mere "uh-huh". */
const interruption_ms = 700;
/** With less than this left unsaid, an "okay" is an answer. */
const nearly_done_ms = 600;
const keys_pause_ms = 1500;
const machine_window_ms = 45_000;
const greeting_pause_ms = 2500;
const last_words_ms = 3000;
const apology_ms = 10_000;

export async function speakOnCall(
  deps: SpeechEngines & { clock: MediaClock; emit(fact: Fact): void; patience?: Patience },
  session: MediaSession,
  call: SpokenCall,
  signal: AbortSignal,
): Promise<SpokenCallEnd> {
  const { clock, patience = usual_patience } = deps;
  const opened_ms = clock.ms();
  const since = (ms: number) => Math.max(0, Math.round(ms - opened_ms));
  const now = () => since(clock.ms());
  const phrases = phrasesFor(call.language);
  const turns: Turn[] = [];
  const { promise: over, resolve: settle } = Promise.withResolvers<Omit<SpokenCallEnd, 'duration_ms'>>();
  const end = (reason: AgentEndReason, detail: string | null = null) => {
    const is_failure = ['setup_error', 'media_failure', 'force_closed'].includes(reason);
    settle({ outcome: is_failure ? 'failed' : 'completed', reason, detail });
  };

  let is_over = false;
  let answer: Answer | null = null;
  /** Set while the agent is silent because somebody began to speak over it. */
  let is_held = false;
  let is_answered = false;
  let has_spoken = false;
  /** Whoever answers what the agent said is no recording. */
  let is_conversation = call.direction === 'inbound';
  /** The agent has apologised and will not be held up. */
  let is_leaving = false;
  let party: 'unknown' | 'human' | 'machine' = call.direction === 'inbound' ? 'human' : 'unknown';
  let unheard_failures = 0;
  let silences = 0;
  let cancelSilence = () => {};

  const speaks = speaker({
    llm: deps.llm,
    mouth: mouth({ session, tts: deps.tts, clock, voice: call.voice, language: call.language }),
    session,
    clock,
    call,
    turns,
    thinking_ms: patience.thinking_ms,
    disclosure: call.ai_disclosure ? phrases.disclosure : null,
    emit: deps.emit,
    since,
  });

  const wentWrong = (layer: 'llm' | 'stt' | 'tts' | 'vad', error: Error) =>
    deps.emit({ kind: 'went_wrong', at_ms: now(), layer, detail: error.message });

  const apologize = async (layer: 'llm' | 'stt' | 'vad', error: Error) => {
    if (is_leaving) return;
    is_leaving = true;
    stopAnswering();
    wentWrong(layer, error);
    answer = speaks.say(phrases.apology, { is_undisclosed: true });
    await Promise.race([
      answer.done.catch(() => {}),
      new Promise<void>((enough) => clock.after(apology_ms, enough)),
    ]);
    end(layer === 'llm' ? 'setup_error' : 'media_failure', `${layer}: ${error.message}`);
  };

  /** Follows an answer to its end and draws the consequences. */
  const follow = async (start: () => Answer, then?: () => void) => {
    stopAnswering();
    cancelSilence();
    is_answered = true;
    const started = start();
    answer = started;
    const how = await started.done.catch((error: Error) => ({ failed: error }));
    if (answer !== started || is_over) return;
    answer = null;
    has_spoken = true;
    if (typeof how === 'object') {
      if (how.failed instanceof TtsFailed) {
        wentWrong('tts', how.failed);
        return end('media_failure', `tts: ${how.failed.message}`);
      }
      return apologize('llm', how.failed);
    }
    if (then) return then();
    if (how === 'hang_up') return end('agent_hangup');
    waitForSpeech();
  };

  const stopAnswering = () => {
    answer?.stop();
    answer = null;
    is_held = false;
  };

  const waitForSpeech = () => {
    cancelSilence();
    cancelSilence = clock.after(patience.silence_ms, () => {
      if (ear.isSpeaking() || answer) return;
      if (session.peerIsComputing?.()) return waitForSpeech();
      silences++;
      if (silences === 1) void follow(() => speaks.say(phrases.still_there));
      else
        void follow(
          () => speaks.say(phrases.nobody_there),
          () => end('silence_timeout'),
        );
    });
  };

  const { first_message } = call;
  const open = () => void follow(() => (first_message ? speaks.say(first_message) : speaks.think(null)));

  const reply = (heard: Heard | null, text: string) => {
    // What was heard of the answer so far belongs before what interrupted it.
    stopAnswering();
    const last = turns.at(-1);
    // Whoever goes on after the turn was taken for over has said one thing, not two.
    const content = last?.role === 'user' ? `${turns.pop()!.content} ${text}` : text;
    turns.push({ role: 'user', content });
    const opens = !is_answered && first_message;
    void follow(() => (opens ? speaks.say(first_message, { heard }) : speaks.think(heard)));
  };

  const meetMachine = () => {
    party = 'machine';
    deps.emit({ kind: 'answered_by', at_ms: now(), by: 'machine' });
    stopAnswering();
    cancelSilence();
    afterGreeting();
  };
  /** The message is left after the beep, or when the greeting has been silent for a while. */
  const afterGreeting = () => {
    cancelSilence();
    cancelSilence = clock.after(greeting_pause_ms, leaveMessage);
  };
  const leaveMessage = () => {
    cancelSilence();
    if (answer || is_over) return;
    speaks.discloseAgain();
    turns.push({ role: 'user', content: voicemail_note });
    void follow(
      () => (first_message ? speaks.say(first_message) : speaks.think(null)),
      () => end('voicemail'),
    );
  };
  const mayBeMachine = () => !is_conversation && party !== 'machine' && now() < machine_window_ms;

  const ear = openEar({
    ...deps,
    language: call.language,
    endpoint: patience.endpoint,
    listener: {
      began(sound_ms) {
        cancelOpening();
        cancelSilence();
        if (!answer || party === 'machine' || is_leaving) return;
        is_held = true;
        answer.pause();
        deps.emit({ kind: 'interrupted', at_ms: now(), clear_ms: clock.ms() - sound_ms });
      },
      goesOn(speech_ms) {
        if (is_held && speech_ms >= interruption_ms) stopAnswering();
      },
      heard(turn) {
        if (turn.text === '') {
          if (is_held) answer?.resume();
          is_held = false;
          if (party === 'machine') afterGreeting();
          else if (!answer) waitForSpeech();
          return;
        }
        silences = 0;
        tellOf(turn);
        if (is_leaving) return;
        if (party === 'machine') return afterGreeting();
        is_conversation ||= has_spoken;
        if (mayBeMachine() && soundsLikeMachine(turn.text)) return meetMachine();
        if (party === 'unknown') {
          party = 'human';
          deps.emit({ kind: 'answered_by', at_ms: now(), by: 'human' });
        }
        if (is_held && answer && isBackChannel(turn.text) && answer.remaining_ms() > nearly_done_ms) {
          is_held = false;
          return answer.resume();
        }
        reply(turn, turn.text);
      },
      failed(layer, error) {
        unheard_failures++;
        const is_retryable = layer === 'stt' && 'retryable' in error && error.retryable === true;
        if (!is_retryable || unheard_failures > 2) return void apologize(layer, error);
        wentWrong(layer, error);
        void follow(() => speaks.say(phrases.say_again));
      },
    },
  });
  const tellOf = ({ text, started_ms, ended_ms }: Heard) =>
    deps.emit({
      kind: 'said',
      speaker: 'person',
      text,
      started_ms: since(started_ms),
      ended_ms: since(ended_ms),
      is_interrupted: false,
      timings: null,
    });

  const isBeep = beepDetector();
  session.onFrame((frame) => {
    if (is_over) return;
    if ((mayBeMachine() || party === 'machine') && isBeep(frame)) {
      if (party !== 'machine') meetMachine();
      leaveMessage();
    }
    ear.push(frame);
  });

  let keys = '';
  let cancelKeys = () => {};
  session.onDigit((digit) => {
    if (is_over) return;
    deps.emit({ kind: 'digits_pressed', at_ms: now(), digits: digit });
    keys = (keys + digit).slice(-64);
    cancelKeys();
    cancelOpening();
    cancelKeys = clock.after(keys_pause_ms, () => {
      const pressed = keys;
      keys = '';
      if (party !== 'machine' && !is_leaving) reply(null, keysNote(pressed));
    });
  });

  const cancelOpening = clock.after(patience.opening_ms[call.direction], open);
  const cancelLimit = clock.after(call.max_duration_ms, () => end('max_duration'));
  const hangUp = () => {
    const { reason } = signal;
    end(reason === 'force_closed' || reason === 'insufficient_funds' ? reason : 'api_hangup');
  };
  if (signal.aborted) hangUp();
  signal.addEventListener('abort', hangUp);
  void session.closed.then((how) => {
    if (how.by === 'them') end('callee_hangup');
    if (how.by === 'failure') end('media_failure', how.detail);
  });

  const ended = await over;
  is_over = true;
  const duration_ms = now();
  signal.removeEventListener('abort', hangUp);
  for (const cancel of [cancelOpening, cancelLimit, cancelKeys, cancelSilence]) cancel();
  stopAnswering();
  session.close();
  const last_words = await Promise.race([
    ear.lastWords(),
    new Promise<null>((late) => clock.after(last_words_ms, () => late(null))),
  ]);
  if (last_words) tellOf(last_words);
  ear.close();
  return { ...ended, duration_ms };
}
