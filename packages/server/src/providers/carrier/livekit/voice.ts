// Calls through LiveKit behind the voice port: a room per call, which this process joins before the phone is called.
import type { MediaClock } from '../../media/media-clock.ts';
import type { CallOrder, VoicePort } from '../carrier.ts';
import type { CarrierFailure } from '../carrier-failure.ts';
import { failureOf, joinGrants, roomGrants, tokenOf } from './api.ts';
import { callPhone, outboundFollowUp } from './dial.ts';
import {
  type CallDeps,
  endCall,
  type LiveCall,
  type LiveCalls,
  newLiveCall,
  roomListener,
} from './live-call.ts';
import type { JoinedRoom } from './room-port.ts';
import { deleteRoom, deleteRoomSurely, phoneState } from './room-requests.ts';
import { agent_identity, roomOf } from './translate.ts';

/** Joining and publishing take less than a second. After this time the call is given up before anything is dialed. */
const join_ms = 10_000;
/** LiveKit closes a room without participants after these times: one of a process that crashed before it dialed. */
const room_limits = { empty_timeout: 30, departure_timeout: 5, max_participants: 3 };

export function liveKitVoice(options: Omit<CallDeps, 'live' | 'deleteRoom'>) {
  const live: LiveCalls = new Map();
  const deps: CallDeps = {
    ...options,
    live,
    deleteRoom: (room, has_failed) => void deleteRoomSurely(options.request, room, has_failed),
  };
  const voice: VoicePort = {
    place: (order) => place(deps, order),
    find: async ({ call_id }) => find(deps, roomOf(call_id)),
    async accept({ provider_call_id, call_id }) {
      const call = live.get(provider_call_id);
      if (!call) return { outcome: 'refused', code: 'ended', detail: 'the caller has hung up' };
      call.call_id = call_id;
      return acceptCall(deps, call);
    },
    async decline(room) {
      const call = live.get(room);
      if (call) return endCall(deps, call, { by: 'us' }, null, 'declined');
      await deleteRoom(deps.request, room);
    },
    media: (room) => live.get(room)?.media.promise ?? Promise.resolve(null),
    async hangUp(room) {
      const call = live.get(room);
      if (call) {
        endCall(deps, call, { by: 'us' }, { trigger: 'canceled', end_reason: 'canceled' }, 'hung up by us');
        await call.closing;
      }
      const deleted = await deleteRoom(deps.request, room);
      // The end of our own call has deleted it a moment before.
      return call && deleted.outcome === 'already_ended' ? { outcome: 'ended' } : deleted;
    },
  };
  return { deps, live, voice };
}

async function find({ request }: CallDeps, room: string): ReturnType<VoicePort['find']> {
  const state = await phoneState(request, room);
  if (state.outcome === 'live') return { outcome: 'found', provider_call_id: room };
  if (state.outcome === 'ended') return { outcome: 'absent' };
  return state;
}

/** Until the phone is dialed nothing has happened that a person would notice, so every failure may be retried. */
async function place(deps: CallDeps, order: CallOrder): ReturnType<VoicePort['place']> {
  const room = roomOf(order.call_id);
  if (deps.sip_trunk_id === null)
    return { outcome: 'refused', code: 'no_trunk', detail: 'LIVEKIT_SIP_TRUNK_ID is not set' };
  const created = await deps.request('RoomService/CreateRoom', roomGrants(room), {
    name: room,
    ...room_limits,
  });
  if (created.outcome === 'refused') return failureOf(created);
  const busy = (detail: string): CarrierFailure => {
    deps.deleteRoom(room);
    return { outcome: 'busy', retry_after_seconds: 1, detail };
  };
  if (created.outcome !== 'done') return busy(created.detail);
  const call = newLiveCall(room, order.call_id, outboundFollowUp(deps, room));
  const token = tokenOf(deps.access, joinGrants(room, agent_identity));
  try {
    await join(deps, call, token, (joined) => joined.publish());
  } catch (error) {
    return busy(`the room cannot be joined: ${(error as Error).message}`);
  }
  deps.live.set(room, call);
  void callPhone(deps, call, order).catch((error) => deps.log.warn({ err: error }, 'call not dialed'));
  return { outcome: 'placed', provider_call_id: room };
}

/** Joins within the time limit. A room that is joined too late is left again. */
export async function join(
  deps: CallDeps,
  call: LiveCall,
  token: string,
  prepare: (joined: JoinedRoom) => Promise<void> = async () => {},
): Promise<void> {
  const joining = deps.rooms.join({ url: deps.access.url, token }, roomListener(deps, call));
  const ready = joining.then(async (joined) => {
    await prepare(joined);
    return joined;
  });
  try {
    call.joined = await within(deps.clock, ready, join_ms);
  } catch (error) {
    void joining.then((joined) => joined.leave()).catch(() => {});
    throw error;
  }
}

async function acceptCall(deps: CallDeps, call: LiveCall): ReturnType<VoicePort['accept']> {
  try {
    await within(deps.clock, call.joined!.publish(), join_ms);
    return { outcome: 'accepted' };
  } catch (error) {
    const { message } = error as Error;
    endCall(deps, call, { by: 'failure', detail: message }, null, message);
    return { outcome: 'refused', code: 'not_published', detail: message };
  }
}

export function within<T>(clock: MediaClock, work: Promise<T>, limit_ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limit_ms, () => reject(new Error(`not done in ${limit_ms / 1000} s`)));
    work.then(resolve, reject).finally(cancel);
  });
}
