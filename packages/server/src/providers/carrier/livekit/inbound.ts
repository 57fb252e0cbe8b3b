// Inbound calls: joins the room that LiveKit assigns, offers the call to the service, and deletes rooms without an agent.
import { textField } from '../carrier-http.ts';
import { type AgentJob, type AgentSocketDeps, agentSocket } from './agent-socket.ts';
import { roomGrants } from './api.ts';
import { type CallDeps, endCall, type LiveCall, newLiveCall, stopCall } from './live-call.ts';
import { isPhone, participantsIn } from './room-requests.ts';
import { ensureInboundTrunk } from './set-up.ts';
import { inbound_prefix } from './translate.ts';
import { join, within } from './voice.ts';

export type InboundSettings = {
  agent_name: string;
  /** Null: trunk and dispatch rule are managed by the operator. */
  set_up: { numbers: readonly string[]; sources: readonly string[] } | null;
};

export type InboundDeps = CallDeps &
  Pick<AgentSocketDeps, 'freeCalls' | 'keepPlace'> & {
    /** Runs work in one process at a time, among all processes of this service. */
    oneAtATime(work: () => Promise<void>): Promise<void>;
  };

/** The SIP participant is in the room before LiveKit asks for a worker. */
const phone_ms = 10_000;
const sweep_period_ms = 10_000;
/** A younger room may still wait for its worker. */
const min_age_seconds = 15;

export function inboundCalls(deps: InboundDeps, settings: InboundSettings) {
  const { agent_name, set_up } = settings;
  const socket = agentSocket({ ...deps, agent_name, onJob: (job) => offer(deps, job) });
  let stopSweeping = () => {};
  return {
    async start(): Promise<void> {
      // Two processes that start at once would both create a trunk, and LiveKit refuses the second one.
      if (set_up) await deps.oneAtATime(() => ensureInboundTrunk(deps.request, { agent_name, ...set_up }));
      socket.start();
      stopSweeping = deps.clock.every(sweep_period_ms, () => {
        sweepRooms(deps).catch((error) => deps.log.warn({ err: error }, 'LiveKit rooms not checked'));
      });
    },
    stop(): void {
      stopSweeping();
      socket.stop();
    },
    problem: socket.problem,
  };
}

/** Joins without publishing: the phone rings until the service accepts the call. */
async function offer(deps: InboundDeps, { room, token }: AgentJob): Promise<void> {
  const call: LiveCall = newLiveCall(room, null, {
    onLeftEarly: (reason) =>
      endCall(deps, call, { by: 'them' }, { trigger: 'canceled', end_reason: 'canceled' }, reason),
    ended: () => void deps.live.delete(room),
  });
  try {
    await join(deps, call, token);
  } catch (error) {
    deps.deleteRoom(room);
    throw error;
  }
  deps.live.set(room, call);
  const phone = await within(deps.clock, call.phone.promise, phone_ms).catch(() => null);
  if (!phone || !deps.live.has(room))
    return endCall(deps, call, { by: 'them' }, null, 'no phone in the room');
  const from = phone['sip.phoneNumber'] ?? 'anonymous';
  const to = phone['sip.trunkPhoneNumber'] ?? '';
  await deps.handleEvents([{ kind: 'call_offered', provider_call_id: room, from, to, has_place: true }]);
  // Neither accepted nor declined: another process runs this call.
  if (call.call_id === null && deps.live.has(room)) stopCall(call);
}

/**
 * Deletes rooms of inbound calls in which no agent is: their process crashed before it stored the call, so no other sweeper knows
 * them, and the caller would hear ringing or nothing.
 */
export async function sweepRooms({ request, live, access, deleteRoom }: InboundDeps): Promise<void> {
  const listed = await request('RoomService/ListRooms', { video: { roomList: true } }, {});
  if (listed.outcome !== 'done') return;
  const rooms = ((listed.json as { rooms?: unknown[] } | null)?.rooms ?? []).filter((room) => {
    const age_seconds =
      access.now_ms() / 1000 -
      Number(textField(room, 'creation_time') ?? textField(room, 'creationTime') ?? 0);
    const name = textField(room, 'name') ?? '';
    return name.startsWith(`${inbound_prefix}_`) && !live.has(name) && age_seconds > min_age_seconds;
  });
  for (const room of rooms) {
    const name = textField(room, 'name')!;
    const found = await request('RoomService/ListParticipants', roomGrants(name), { room: name });
    if (found.outcome !== 'done') continue;
    const participants = participantsIn(found.json);
    if (participants.some(isPhone) && participants.every(isPhone)) deleteRoom(name);
  }
}
