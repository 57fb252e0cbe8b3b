// A stand-in for a LiveKit server: rooms and SIP participants over Twirp, and the socket of agent workers. Strict: it refuses
// unknown fields, wrong permissions and requests that a server would refuse.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { tokenOf } from '../../src/providers/carrier/livekit/api.ts';
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { fastClock } from '../fast-clock.ts';
import { type CallQueue, callQueue } from './call-queue.ts';
import { request_fields, unknownFields } from './livekit-fields.ts';
import {
  claimsOf,
  livekit_access,
  type MemoryRoom,
  memoryRooms,
  newRoom,
  onPublished,
  phoneIn,
  type RoomPhone,
} from './livekit-rooms.ts';

export { livekit_access } from './livekit-rooms.ts';

type Json = Record<string, unknown>;
type Respond = (status: number, json: unknown) => void;

export type LiveKitCall = RoomPhone & {
  room: string;
  request: Json;
  ring(): void;
  /** The person answers. */
  answer(): void;
  /** The call fails with a SIP status. */
  refuse(sip_status: number, reason: string): void;
  /** The request fails without a SIP status, as a ring timeout does. */
  fail(code: string, msg: string): void;
  /** The connection of the request breaks; the phone keeps ringing. */
  loseResponse(): void;
};

type Resource = Json & { name?: string };
type Server = {
  seen: { method: string; body: Json }[];
  memory: ReturnType<typeof memoryRooms>;
  queue: CallQueue<LiveKitCall>;
  trunks: Map<string, Resource>;
  rules: Map<string, Resource>;
  /** Methods whose next requests get this Twirp error. */
  faults: Map<string, { code: string; msg: string }>;
};

function newCall(
  server: Server,
  room: MemoryRoom,
  body: Json,
  respond: Respond,
  drop: () => void,
): LiveKitCall {
  const phone = phoneIn(room);
  phone.setStatus('dialing');
  const leave = (reason: string) => {
    if (server.memory.rooms.has(room.name)) phone.leave(reason);
  };
  return {
    ...phone,
    room: room.name,
    request: body,
    ring: () => phone.setStatus('ringing'),
    answer() {
      phone.setStatus('active');
      respond(200, { participant_id: 'PA_1', participant_identity: body.participant_identity });
    },
    refuse(sip_status, reason) {
      leave('USER_UNAVAILABLE');
      const meta = { sip_status_code: String(sip_status), sip_status: reason };
      respond(503, { code: 'unavailable', msg: 'call failed', meta });
    },
    fail(code, msg) {
      leave('USER_UNAVAILABLE');
      respond(408, { code, msg });
    },
    loseResponse: drop,
  };
}

const denied = { code: 'permission_denied', msg: 'permissions denied' };
const not_found = { code: 'not_found', msg: 'requested room does not exist' };

/** The permission that a method needs, as LiveKit checks it. */
function mayCall(method: string, token: string, room: string): boolean {
  const { iss, exp, video, sip } = claimsOf(token) as ReturnType<typeof claimsOf> & {
    video?: Json;
    sip?: Json;
  };
  if (iss !== livekit_access.api_key || !exp || exp < Date.now() / 1000) return false;
  if (method === 'SIP/CreateSIPParticipant') return sip?.call === true;
  if (method.startsWith('SIP/')) return sip?.admin === true;
  if (method === 'RoomService/ListRooms') return (video as Json | undefined)?.roomList === true;
  const { roomCreate, roomAdmin, room: named } = (video ?? {}) as Json;
  if (/^RoomService\/(ListParticipants|RemoveParticipant)$/.test(method))
    return roomAdmin === true && named === room;
  return roomCreate === true;
}

async function handle(server: Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(String(Buffer.concat(chunks))) as Json;
  const method = request.url!.replace('/twirp/livekit.', '');
  server.seen.push({ method, body });
  const respond: Respond = (status, json) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  const fields = request_fields[method];
  if (!fields) return respond(404, { code: 'bad_route', msg: method });
  const unknown = unknownFields(body, fields);
  if (unknown.length > 0)
    return respond(400, { code: 'malformed', msg: `unknown fields: ${unknown.join()}` });
  const room = String(body.name ?? body.room ?? body.room_name);
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  if (!mayCall(method, token, room)) return respond(403, denied);
  const fault = server.faults.get(method);
  if (fault) {
    server.faults.delete(method);
    return respond(503, fault);
  }
  if (method === 'SIP/CreateSIPParticipant') return dial(server, body, respond, () => request.destroy());
  const [status, json] = method.startsWith('SIP/')
    ? sipAdmin(server, method, body)
    : roomRequest(server, method, room, body);
  respond(status, json);
}

function roomRequest({ memory }: Server, method: string, name: string, body: Json): [number, unknown] {
  const { rooms } = memory;
  switch (method) {
    case 'RoomService/CreateRoom':
      if (!rooms.has(name)) rooms.set(name, newRoom(name));
      return [200, { sid: 'RM_1', name }];
    case 'RoomService/DeleteRoom':
      return memory.delete(name) ? [200, {}] : [404, not_found];
    case 'RoomService/RemoveParticipant':
      return memory.remove(name, String(body.identity)) ? [200, {}] : [404, not_found];
    case 'RoomService/ListRooms':
      return [200, { rooms: [...rooms.keys()].map((each) => ({ name: each, creation_time: '1' })) }];
    default: {
      const room = rooms.get(name);
      const phone = room?.attributes ? [{ identity: room.phone_identity, kind: 'SIP' }] : [];
      const agent = room?.listener ? [{ identity: 'agent', kind: 'AGENT' }] : [];
      return [200, { participants: [...phone, ...agent] }];
    }
  }
}

function dial(server: Server, body: Json, respond: Respond, drop: () => void): void {
  const room = server.memory.rooms.get(String(body.room_name));
  const ring_seconds = Number(/^(\d+)s$/.exec(String(body.ringing_timeout))?.[1]);
  // The real server gives up after 80 s, whatever was asked. We dial only from a room in which we can speak.
  if (!room?.is_published || !(ring_seconds <= 80) || body.wait_until_answered !== true) {
    respond(400, { code: 'invalid_argument', msg: 'not a request that can be answered' });
    return;
  }
  server.queue.add(newCall(server, room, body, respond, drop));
}

function sipAdmin({ trunks, rules }: Server, method: string, body: Json): [number, unknown] {
  const [store, key] = method.includes('Trunk')
    ? ([trunks, 'sip_trunk_id'] as const)
    : ([rules, 'sip_dispatch_rule_id'] as const);
  if (method.startsWith('SIP/List')) return [200, { items: [...store.values()] }];
  const created = (body.trunk ?? body.dispatch_rule) as Resource | undefined;
  const other = created && [...store.values()].find((each) => isInConflict(each, created));
  if (other) return [400, { code: 'invalid_argument', msg: `Conflicting with ${other[key]}` }];
  const id = String(body[key] ?? `${key === 'sip_trunk_id' ? 'ST' : 'SDR'}_${store.size + 1}`);
  const value = { ...((body.trunk ?? body.dispatch_rule ?? body.replace) as Json), [key]: id };
  store.set(id, value);
  return [200, value];
}

/** As LiveKit sees it: a number has one trunk, and a trunk has one rule. */
function isInConflict(one: Resource, other: Resource): boolean {
  const keys = ({ numbers, trunk_ids }: Resource) => (numbers ?? trunk_ids) as string[];
  return keys(one).some((each) => keys(other).includes(each));
}

export type AgentWorker = {
  agent_name: string;
  /** What the worker said last. */
  status: string;
  socket: WebSocket;
  answers: Map<string, (answer: Json) => void>;
};

/** The socket on which workers register, and inbound calls that are offered to them. */
function agentWorkers(server: Server) {
  const workers: AgentWorker[] = [];
  let last_job = 0;
  const accept = (socket: WebSocket) => {
    socket.once('message', (first) => {
      const { register } = JSON.parse(String(first)) as { register?: Json };
      if (register?.type !== 'JT_ROOM' || !register.agentName) return socket.close(1008, 'not registered');
      const worker: AgentWorker = {
        agent_name: String(register.agentName),
        status: 'WS_AVAILABLE',
        socket,
        answers: new Map(),
      };
      workers.push(worker);
      socket.on('close', () => workers.splice(workers.indexOf(worker), 1));
      socket.on('message', (data) => receive(worker, JSON.parse(String(data)) as Json));
      socket.send(JSON.stringify({ register: { workerId: `AW_${workers.length}` } }));
    });
  };
  const receive = (worker: AgentWorker, message: Json) => {
    const { updateWorker, availability, ping } = message as Record<string, Json | undefined>;
    if (updateWorker) worker.status = String(updateWorker.status);
    if (availability) worker.answers.get(String(availability.jobId))?.(availability);
    if (ping) worker.socket.send(JSON.stringify({ pong: { lastTimestamp: ping.timestamp } }));
  };
  const ask = async (worker: AgentWorker, id: string, room: string): Promise<boolean> => {
    const answered = new Promise<Json>((resolve) => worker.answers.set(id, resolve));
    worker.socket.send(JSON.stringify({ availability: { job: { id, room: { name: room } } } }));
    const { available, participantIdentity } = await answered;
    if (available !== true) return false;
    const claims = { sub: participantIdentity, video: { roomJoin: true, room, agent: true } };
    const token = tokenOf(livekit_access, claims);
    worker.socket.send(JSON.stringify({ assignment: { job: { id, room: { name: room } }, token } }));
    return true;
  };
  return {
    workers,
    accept,
    /** A person calls one of our numbers. Null when no worker wants the call. */
    async callIn(from: string, to: string): Promise<(RoomPhone & { room: MemoryRoom }) | null> {
      const name = `parley-in_${to}_${++last_job}`;
      const room = newRoom(name);
      room.phone_identity = `sip_${from}`;
      server.memory.rooms.set(name, room);
      room.attributes = {
        'sip.phoneNumber': from,
        'sip.trunkPhoneNumber': to,
        'sip.callStatus': 'ringing',
      };
      const phone = { ...phoneIn(room), room };
      onPublished.set(room, () => phone.setStatus('active'));
      for (const worker of workers)
        if (worker.status === 'WS_AVAILABLE' && (await ask(worker, `AJ_${last_job}`, name))) return phone;
      return null;
    },
  };
}

export async function startLiveKit(clock: MediaClock = fastClock(5)) {
  const memory = memoryRooms(clock);
  const state: Server = {
    seen: [],
    memory,
    queue: callQueue(),
    trunks: new Map(),
    rules: new Map(),
    faults: new Map(),
  };
  const agents = agentWorkers(state);
  const server = createServer((request, response) => void handle(state, request, response));
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const may_work = (claimsOf(token).video as Json | undefined)?.agent === true;
    if (request.url !== '/agent' || !may_work) return socket.destroy();
    sockets.handleUpgrade(request, socket, head, agents.accept);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clock,
    ...state,
    rooms: memory.rooms,
    port: memory.port,
    next: state.queue.next,
    workers: agents.workers,
    callIn: agents.callIn,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets.clients) socket.terminate();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
