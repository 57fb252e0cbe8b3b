// The phone of a person who tries out the sandbox: it rings, and the person answers, types or speaks, and hangs up.
import { randomBytes } from 'node:crypto';
import type { SandboxPhoneCall } from '@parley/contract/operations/sandbox/sandbox-phone';
import type { Clock } from '../../../../platform/clock.ts';
import type { Context } from '../../../../platform/http/context.ts';
import type { ManualCall } from '../../../../providers/carrier/sandbox-phones.ts';
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import { type MediaSession, msOf } from '../../../../providers/media/media-session.ts';
import type { Tts } from '../../../../providers/tts/tts.ts';
import { startUtterance } from '../conversation/speak/player.ts';

/** A browser's microphone and loudspeaker. */
export type SoundSocket = {
  send(pcm: Int16Array): void;
  close(): void;
  onAudio(listener: (pcm: Int16Array) => void): void;
  onClose(listener: () => void): void;
};

/** All actions return null when the call is not in a state that allows them. */
export type OwnPhone = {
  ring(call: ManualCall): void;
  /** The person calls one of their own numbers. Resolves when the line is closed. */
  callIn(call_id: string, from: string, to: string, session: MediaSession): Promise<void>;
  ids(): string[];
  get(call_id: string): SandboxPhoneCall | null;
  answer(call_id: string): SandboxPhoneCall | null;
  decline(call_id: string): SandboxPhoneCall | null;
  say(call_id: string, text: string): SandboxPhoneCall | null;
  press(call_id: string, digits: string): Promise<SandboxPhoneCall | null>;
  hangUp(call_id: string): SandboxPhoneCall | null;
  /** A token that connects a browser's sound once. `hold` ends both with the credential that opened them. */
  openSound(call_id: string, hold: Context['hold']): { token: string } | null;
  /** False for a token that is wrong, too old or used. */
  sound(token: string, socket: SoundSocket): boolean;
};

type PhoneDeps = {
  tts: Tts;
  media_clock: MediaClock;
  clock: Clock;
  voice: string;
  changed(call: SandboxPhoneCall): void;
};

type HeldCall = SandboxPhoneCall & {
  /** Set while the call rings and was not answered or declined. */
  ringing: ManualCall | null;
  /** Set once the line is open. */
  session: MediaSession | null;
  /** The end of the last text, so that typed texts are spoken one after the other. */
  saying: Promise<unknown>;
  socket: SoundSocket | null;
};

/** A token that no browser used yet, or the socket that it opened. */
type Sound = { call_id: string; socket: SoundSocket | null; release(): void };
type Phone = PhoneDeps & { calls: Map<string, HeldCall>; tokens: Map<string, Sound> };

const token_lifetime_ms = 60_000;
/** A microphone may run faster than the line. Sound that is further ahead is dropped, so that the delay does not grow. */
const max_ahead_ms = 1000;

export function ownPhone(deps: PhoneDeps): OwnPhone {
  const phone: Phone = { ...deps, calls: new Map(), tokens: new Map() };
  const { calls } = phone;
  return {
    ring: (call) => ring(phone, call),
    callIn: (call_id, from, to, session) =>
      talk(phone, hold(phone, { call_id, from, to, direction: 'inbound', ringing: null }), session),
    ids: () => [...calls.keys()],
    get(call_id) {
      const call = calls.get(call_id);
      return call ? publicView(call) : null;
    },
    answer: (call_id) => answer(phone, call_id),
    decline: (call_id) => decline(phone, call_id),
    say(call_id, text) {
      const call = calls.get(call_id);
      const { session } = call ?? {};
      if (!call || !session) return null;
      call.saying = call.saying.then(() => speak(phone, session, text));
      return publicView(call);
    },
    async press(call_id, digits) {
      const call = calls.get(call_id);
      if (!call?.session) return null;
      await call.session.sendDigits(digits);
      return publicView(call);
    },
    hangUp(call_id) {
      const call = calls.get(call_id);
      if (!call?.session) return null;
      call.session.close();
      return { ...publicView(call), status: 'ended' };
    },
    openSound: (call_id, hold) => openSound(phone, call_id, hold),
    sound: (token, socket) => connectSound(phone, token, socket),
  };
}

function publicView({ call_id, status, direction, from, to, since }: HeldCall): SandboxPhoneCall {
  return { call_id, status, direction, from, to, since };
}

function setStatus(phone: Phone, call: HeldCall, status: HeldCall['status']): void {
  call.status = status;
  call.since = phone.clock.now().toISOString();
  if (status === 'ended') phone.calls.delete(call.call_id);
  phone.changed(publicView(call));
}

function hold(
  phone: Phone,
  call: Pick<HeldCall, 'call_id' | 'direction' | 'from' | 'to' | 'ringing'>,
): HeldCall {
  const held: HeldCall = {
    ...call,
    status: 'ringing',
    since: '',
    session: null,
    saying: Promise.resolve(),
    socket: null,
  };
  phone.calls.set(call.call_id, held);
  return held;
}

function ring(phone: Phone, call: ManualCall): void {
  const { call_id, from, to } = call;
  const held = hold(phone, { call_id, from, to, direction: 'outbound', ringing: call });
  setStatus(phone, held, 'ringing');
  void call.stopped_ringing.then(() => {
    const was_unanswered = held.session === null && held.ringing !== null;
    if (was_unanswered && phone.calls.has(call_id)) setStatus(phone, held, 'ended');
  });
}

function answer(phone: Phone, call_id: string): SandboxPhoneCall | null {
  const call = phone.calls.get(call_id);
  const { ringing } = call ?? {};
  if (!call || !ringing) return null;
  call.ringing = null;
  ringing.answer((session) => talk(phone, call, session));
  return publicView(call);
}

function decline(phone: Phone, call_id: string): SandboxPhoneCall | null {
  const call = phone.calls.get(call_id);
  const { ringing } = call ?? {};
  if (!call || !ringing) return null;
  ringing.decline();
  call.ringing = null;
  setStatus(phone, call, 'ended');
  return publicView(call);
}

/** Resolves when the line is closed. */
async function talk(phone: Phone, call: HeldCall, session: MediaSession): Promise<void> {
  call.session = session;
  call.ringing = null;
  session.onFrame((pcm) => call.socket?.send(pcm));
  setStatus(phone, call, 'in_progress');
  await session.closed;
  call.socket?.close();
  setStatus(phone, call, 'ended');
}

function speak({ tts, media_clock, voice }: Phone, session: MediaSession, text: string): Promise<unknown> {
  const utterance = startUtterance({ session, tts, clock: media_clock, voice, language: 'en' });
  utterance.say(text);
  utterance.finish();
  return Promise.race([session.closed, utterance.done]).catch(() => {});
}

function openSound(phone: Phone, call_id: string, hold: Context['hold']): { token: string } | null {
  if (!phone.calls.get(call_id)?.session) return null;
  const token = randomBytes(32).toString('base64url');
  const sound: Sound = { call_id, socket: null, release: () => {} };
  sound.release = hold(() => {
    phone.tokens.delete(token);
    sound.socket?.close();
  });
  phone.tokens.set(token, sound);
  setTimeout(() => {
    if (phone.tokens.delete(token)) sound.release();
  }, token_lifetime_ms).unref();
  return { token };
}

function connectSound(phone: Phone, token: string, socket: SoundSocket): boolean {
  const sound = phone.tokens.get(token);
  if (!sound) return false;
  phone.tokens.delete(token);
  const call = phone.calls.get(sound.call_id);
  if (!call?.session) {
    sound.release();
    return false;
  }
  call.socket?.close();
  call.socket = socket;
  sound.socket = socket;
  socket.onClose(sound.release);
  receiveSound(call.session, socket);
  socket.onClose(() => {
    if (call.socket === socket) call.socket = null;
  });
  return true;
}

function receiveSound(session: MediaSession, socket: SoundSocket): void {
  let written = 0;
  let base_ms = session.played_ms();
  socket.onAudio((pcm) => {
    const ahead_ms = msOf(written) - (session.played_ms() - base_ms);
    if (ahead_ms > max_ahead_ms) return;
    if (ahead_ms < 0) [written, base_ms] = [0, session.played_ms()];
    written += pcm.length;
    session.write(pcm);
  });
}
