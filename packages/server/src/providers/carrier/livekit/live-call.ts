// One call in a LiveKit room: follows what happens there, opens the line when the phone is answered, and reports the end.
import type { Log } from '../../../platform/log.ts';
import type { MediaClock } from '../../media/media-clock.ts';
import type { MediaEnd, MediaSession } from '../../media/media-session.ts';
import type { CarrierEvent } from '../carrier.ts';
import type { Ending } from '../sip-status.ts';
import type { LiveKitAccess, LiveKitApi } from './api.ts';
import type { JoinedRoom, RoomListener, RoomPort } from './room-port.ts';
import { deleteRoom, removePhone } from './room-requests.ts';
import { type RoomSession, roomSession } from './room-session.ts';
import { callChanged, isHangUp } from './translate.ts';

export type CallDeps = {
  access: LiveKitAccess;
  /** The outbound trunk; null where only inbound calls are set up. */
  sip_trunk_id: string | null;
  request: LiveKitApi;
  rooms: RoomPort;
  clock: MediaClock;
  log: Pick<Log, 'info' | 'warn'>;
  handleEvents(events: CarrierEvent[]): Promise<void>;
  /** The calls of this process, by the name of their room. */
  live: LiveCalls;
  /** Hangs up. Nothing waits for it. */
  deleteRoom(room: string, has_failed?: boolean): void;
};

export type LiveCalls = Map<string, LiveCall>;

/** How long the answer waits until the phone's side receives our audio. */
const subscription_ms = 2000;
/** A crashed SIP service leaves the room only after half a minute. By then the agent would have given up on a silent person. */
const phone_lost_ms = 5000;
/** The library reports everyone as gone before it joins a room again, and a phone that is still there right after that. */
const phone_return_ms = 3000;
/** LiveKit reports within moments that the phone was removed. */
const removal_ms = 2000;
/** Our connection to the room may be away this long. Then the caller hears nothing, and the call is ended. */
const reconnect_ms = 15_000;

export type LiveCall = {
  room: string;
  call_id: string | null;
  joined: JoinedRoom | null;
  state: 'waiting' | 'answered' | 'ended';
  /** Null while no phone is in the room. */
  attributes: Record<string, string> | null;
  phone_identity: string;
  left_reason: string | null;
  /** Settles with the line when the phone was answered, with null when the call ended before. */
  media: PromiseWithResolvers<MediaSession | null>;
  /** Settles when the attributes of the phone are known, with null when the call ended before. */
  phone: PromiseWithResolvers<Record<string, string> | null>;
  heard: PromiseWithResolvers<void>;
  /** Settles when the phone has left the room, or we have. */
  phone_gone: PromiseWithResolvers<void>;
  line: RoomSession | null;
  has_rung: boolean;
  /** Settles when we have hung up and left. */
  closing: Promise<void>;
  cancelReconnect(): void;
  cancelPhoneLost(): void;
  cancelPhoneReturn(): void;
  /** What the phone's leaving means before the answer; set by the direction. */
  onLeftEarly(reason: string): void;
  ended(): void;
};

export const newLiveCall = (
  room: string,
  call_id: string | null,
  follow: Pick<LiveCall, 'onLeftEarly' | 'ended'>,
): LiveCall => ({
  room,
  call_id,
  joined: null,
  state: 'waiting',
  attributes: null,
  phone_identity: '',
  left_reason: null,
  media: Promise.withResolvers(),
  phone: Promise.withResolvers(),
  heard: Promise.withResolvers(),
  phone_gone: Promise.withResolvers(),
  line: null,
  has_rung: false,
  closing: Promise.resolve(),
  cancelReconnect() {},
  cancelPhoneLost() {},
  cancelPhoneReturn() {},
  ...follow,
});

/** Translates the events of the room into changes of the call. */
export const roomListener = (deps: CallDeps, call: LiveCall): RoomListener => ({
  phone(attributes, identity) {
    call.attributes = attributes;
    call.phone_identity = identity;
    call.left_reason = null;
    call.cancelPhoneReturn();
    call.phone.resolve(attributes);
    const status = attributes['sip.callStatus'];
    if (status === 'ringing') reportRinging(deps, call);
    if (status === 'active') void answer(deps, call);
  },
  phoneLeft(reason) {
    call.attributes = null;
    call.left_reason = reason;
    call.phone_gone.resolve();
    if (call.state === 'waiting') return call.onLeftEarly(reason);
    if (isHangUp(reason)) return endCall(deps, call, { by: 'them' }, null, reason);
    awaitPhone(deps, call);
  },
  phoneLost(is_lost) {
    call.cancelPhoneLost();
    if (!is_lost || call.state !== 'answered') return;
    const detail = 'no packets come from LiveKit’s SIP service';
    call.cancelPhoneLost = deps.clock.after(phone_lost_ms, () =>
      endCall(deps, call, { by: 'failure', detail }, null, detail),
    );
  },
  // Audio from before the answer is a ringing tone or an announcement of the network.
  frame: (pcm) => call.line?.receive(pcm),
  digit: (digit) => call.line?.digit(digit),
  subscribed: () => call.heard.resolve(),
  connection(state, reason) {
    call.cancelReconnect();
    if (state === 'closed') call.phone_gone.resolve();
    call.cancelPhoneReturn();
    if (state === 'restored') awaitPhone(deps, call);
    if (state === 'restored' || call.state === 'ended') return;
    const give_up_ms = state === 'closed' ? 0 : reconnect_ms;
    call.cancelReconnect = deps.clock.after(give_up_ms, () => lose(deps, call, reason));
  },
});

/** Ends an answered call whose phone does not come back. */
function awaitPhone(deps: CallDeps, call: LiveCall): void {
  if (call.state !== 'answered' || call.attributes !== null) return;
  const reason = call.left_reason ?? 'UNKNOWN_REASON';
  call.cancelPhoneReturn = deps.clock.after(phone_return_ms, () =>
    endCall(deps, call, { by: 'failure', detail: `the phone left the room: ${reason}` }, null, reason),
  );
}

function lose(deps: CallDeps, call: LiveCall, reason: string): void {
  const detail = `the connection to the LiveKit room was lost: ${reason}`;
  endCall(deps, call, { by: 'failure', detail }, { trigger: 'broke', end_reason: 'media_failure' }, detail);
}

function reportRinging({ handleEvents }: CallDeps, call: LiveCall): void {
  // An inbound call that is not stored yet rings by itself.
  if (call.state !== 'waiting' || call.has_rung || call.call_id === null) return;
  call.has_rung = true;
  const event = callChanged(call.room, call.call_id, { trigger: 'rang', end_reason: null, detail: '' });
  handleEvents([event]).catch(() => {});
}

/** The phone was answered. Also called when the response to the dial request says so; the first report counts. */
export async function answer(deps: CallDeps, call: LiveCall): Promise<void> {
  if (call.state !== 'waiting' || !call.joined) return;
  call.state = 'answered';
  const { room, call_id, joined } = call;
  const line = roomSession({
    clock: deps.clock,
    room: joined,
    hangUp: () => endCall(deps, call, { by: 'us' }, null, 'closed'),
    leave: () => stopCall(call),
  });
  call.line = line;
  const event = callChanged(room, call_id, { trigger: 'answered', end_reason: null, detail: '' });
  await deps.handleEvents([event]).catch(() => {});
  let cancel = () => {};
  const late = new Promise<void>((resolve) => {
    cancel = deps.clock.after(subscription_ms, resolve);
  });
  await Promise.race([call.heard.promise, late, line.session.closed]);
  cancel();
  call.media.resolve(line.session);
}

/** Leaves the room without deleting it. */
export function stopCall(call: LiveCall): void {
  forget(call);
  void call.joined?.leave();
}

function forget(call: LiveCall): void {
  call.state = 'ended';
  call.cancelReconnect();
  call.cancelPhoneLost();
  call.cancelPhoneReturn();
  call.ended();
}

/**
 * Removes the phone, which hangs up, then leaves and deletes the room. The library never frees the memory of a room that it left
 * before the other participants.
 */
async function closeRoom(deps: CallDeps, call: LiveCall, how: MediaEnd): Promise<void> {
  const { request, clock } = deps;
  let is_removed = false;
  // After a failure LiveKit may not know what is in the room.
  if (call.attributes !== null && how.by !== 'failure') {
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(removal_ms, resolve);
    });
    const removal = removePhone(request, call.room, call.phone_identity).then(async (was_removed) => {
      if (was_removed) await call.phone_gone.promise;
      is_removed = was_removed;
    });
    await Promise.race([removal, late]);
    cancel();
  }
  void call.joined?.leave();
  // Without a phone it is only tidiness: LiveKit closes empty rooms itself.
  if (is_removed) await deleteRoom(request, call.room);
  else deps.deleteRoom(call.room, how.by === 'failure');
}

/**
 * Ends the call once, leaves the room and deletes it. `ending` is reported for a call that was not answered; the end of the line
 * tells the rest.
 */
export function endCall(
  deps: CallDeps,
  call: LiveCall,
  how: MediaEnd,
  ending: Ending | null,
  detail: string,
): void {
  if (call.state === 'ended') return;
  const was_answered = call.state === 'answered';
  forget(call);
  const settle = () => {
    // An answered call still gets its line, which tells how it ended.
    if (!was_answered) call.media.resolve(null);
    call.phone.resolve(null);
    call.line?.end(how);
  };
  call.closing = closeRoom(deps, call, how);
  if (was_answered || !ending) {
    settle();
    return;
  }
  const event = callChanged(call.room, call.call_id, { ...ending, detail });
  void deps
    .handleEvents([event])
    .catch(() => {})
    .then(settle);
}
