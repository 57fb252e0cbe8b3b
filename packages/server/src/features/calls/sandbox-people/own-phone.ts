// The phone of whoever tries the sandbox out: it rings, and a person answers, types or speaks, presses keys and hangs up.
import { randomBytes } from 'node:crypto';
import type { SandboxPhoneCall } from '@parley/contract/sandbox-phone';
import type { Clock } from '../../../platform/clock.ts';
import type { ManualCall } from '../../../providers/carrier/sandbox-phones.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import { type MediaSession, msOf } from '../../../providers/media/media-session.ts';
import type { Tts } from '../../../providers/tts/tts.ts';
import { startUtterance } from '../conversation/player.ts';

/** A browser's microphone and loudspeaker. */
export type SoundSocket = {
  send(pcm: Int16Array): void;
  close(): void;
  onSound(listener: (pcm: Int16Array) => void): void;
  onClose(listener: () => void): void;
};

type Held = SandboxPhoneCall & {
  ringing: ManualCall | null;
  session: MediaSession | null;
  /** What was typed is spoken one after the other. */
  saying: Promise<unknown>;
  socket: SoundSocket | null;
};

const token_ms = 60_000;
/** A microphone that runs faster than the line must not be heard later and later. */
const most_ahead_ms = 1000;

export function ownPhone(deps: {
  tts: Tts;
  media_clock: MediaClock;
  clock: Clock;
  voice: string;
  changed(call: SandboxPhoneCall): void;
}) {
  const calls = new Map<string, Held>();
  const tokens = new Map<string, string>();

  const shown = ({ call_id, status, direction, from, to, since }: Held): SandboxPhoneCall => ({
    call_id,
    status,
    direction,
    from,
    to,
    since,
  });
  const tell = (call: Held, status: Held['status']) => {
    call.status = status;
    call.since = deps.clock.now().toISOString();
    if (status === 'ended') calls.delete(call.call_id);
    deps.changed(shown(call));
  };
  const hold = (call: Pick<Held, 'call_id' | 'direction' | 'from' | 'to' | 'ringing'>): Held => {
    const held: Held = {
      ...call,
      status: 'ringing',
      since: '',
      session: null,
      saying: Promise.resolve(),
      socket: null,
    };
    calls.set(call.call_id, held);
    return held;
  };

  /** Settles when the line is closed. */
  const talk = async (call: Held, session: MediaSession): Promise<void> => {
    call.session = session;
    call.ringing = null;
    session.onFrame((pcm) => call.socket?.send(pcm));
    tell(call, 'in_progress');
    await session.closed;
    call.socket?.close();
    tell(call, 'ended');
  };

  const speak = (session: MediaSession, text: string) => {
    const { tts, voice } = deps;
    const utterance = startUtterance({ session, tts, clock: deps.media_clock, voice, language: 'en' });
    utterance.say(text);
    utterance.finish();
    return Promise.race([session.closed, utterance.done]).catch(() => {});
  };

  const listenTo = (call: Held, socket: SoundSocket) => {
    const session = call.session!;
    call.socket?.close();
    call.socket = socket;
    let written = 0;
    let heard_before_ms = session.played_ms();
    socket.onSound((pcm) => {
      const ahead_ms = msOf(written) - (session.played_ms() - heard_before_ms);
      if (ahead_ms > most_ahead_ms) return;
      if (ahead_ms < 0) [written, heard_before_ms] = [0, session.played_ms()];
      written += pcm.length;
      session.write(pcm);
    });
    socket.onClose(() => {
      if (call.socket === socket) call.socket = null;
    });
  };

  return {
    ring(call: ManualCall): void {
      const { call_id, from, to } = call;
      const held = hold({ call_id, from, to, direction: 'outbound', ringing: call });
      tell(held, 'ringing');
      void call.over.then(() => {
        if (held.session === null && calls.has(call_id) && held.ringing !== null) tell(held, 'ended');
      });
    },
    /** The person calls one of their own numbers. */
    callIn: (call_id: string, from: string, to: string, session: MediaSession) =>
      talk(hold({ call_id, from, to, direction: 'inbound', ringing: null }), session),

    ids: () => [...calls.keys()],
    get(call_id: string): SandboxPhoneCall | null {
      const call = calls.get(call_id);
      return call ? shown(call) : null;
    },
    /** Each says null when the call is not in the state for it. */
    answer(call_id: string): SandboxPhoneCall | null {
      const call = calls.get(call_id);
      const { ringing } = call ?? {};
      if (!call || !ringing) return null;
      call.ringing = null;
      ringing.answer((session) => talk(call, session));
      return shown(call);
    },
    decline(call_id: string): SandboxPhoneCall | null {
      const call = calls.get(call_id);
      const { ringing } = call ?? {};
      if (!call || !ringing) return null;
      ringing.decline();
      call.ringing = null;
      tell(call, 'ended');
      return shown(call);
    },
    say(call_id: string, text: string): SandboxPhoneCall | null {
      const call = calls.get(call_id);
      const { session } = call ?? {};
      if (!call || !session) return null;
      call.saying = call.saying.then(() => speak(session, text));
      return shown(call);
    },
    async press(call_id: string, digits: string): Promise<SandboxPhoneCall | null> {
      const call = calls.get(call_id);
      if (!call?.session) return null;
      await call.session.sendDigits(digits);
      return shown(call);
    },
    hangUp(call_id: string): SandboxPhoneCall | null {
      const call = calls.get(call_id);
      if (!call?.session) return null;
      call.session.close();
      return { ...shown(call), status: 'ended' };
    },
    openSound(call_id: string): { token: string } | null {
      if (!calls.get(call_id)?.session) return null;
      const token = randomBytes(32).toString('base64url');
      tokens.set(token, call_id);
      setTimeout(() => tokens.delete(token), token_ms).unref();
      return { token };
    },
    /** False for a token that is wrong, too old or used. */
    sound(token: string, socket: SoundSocket): boolean {
      const call = calls.get(tokens.get(token) ?? '');
      tokens.delete(token);
      if (!call?.session) return false;
      listenTo(call, socket);
      return true;
    },
  };
}
export type OwnPhone = ReturnType<typeof ownPhone>;
