// A stand-in for a LiveKit server: dispatches, SIP participants and rooms over Twirp, with signed webhooks.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAuthentic, tokenOf } from '../../src/providers/carrier/livekit/api.ts';
import { type CallQueue, callQueue } from './call-queue.ts';

export const livekit_access = { api_key: 'APItest', api_secret: 'secret-of-the-test', now_ms: Date.now };

type Json = Record<string, unknown>;
export type LiveKitCall = {
  room: string;
  request: Json;
  metadata: Json;
  /** The person answers. */
  answer(): void;
  /** The call fails with a SIP status. */
  refuse(sip_status: number, reason: string): void;
};

type Server = {
  seen: { method: string; body: Json }[];
  rooms: Map<string, { metadata: Json; has_phone: boolean }>;
  queue: CallQueue<LiveKitCall>;
};
type Respond = (status: number, json: unknown) => void;

function newCall({ rooms }: Server, room: string, body: Json, respond: Respond): LiveKitCall {
  return {
    room,
    request: body,
    metadata: rooms.get(room)!.metadata,
    answer() {
      rooms.get(room)!.has_phone = true;
      respond(200, {
        participantId: 'PA_1',
        participantIdentity: body.participant_identity,
        roomName: room,
      });
    },
    refuse: (sip_status, reason) =>
      respond(503, {
        code: 'unavailable',
        msg: 'call failed',
        meta: { sip_status_code: String(sip_status), sip_status: reason },
      }),
  };
}

async function handle(server: Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(String(Buffer.concat(chunks))) as Json;
  const method = request.url!.replace('/twirp/livekit.', '');
  server.seen.push({ method, body });
  const respond: Respond = (status, json) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  const [, claims = ''] = (request.headers.authorization ?? '').split('.');
  const { iss } = JSON.parse(String(Buffer.from(claims, 'base64url'))) as { iss: string };
  if (iss !== livekit_access.api_key) return respond(401, { code: 'unauthenticated', msg: 'no permissions' });
  const room = String(body.room ?? body.room_name);
  switch (method) {
    case 'AgentDispatchService/CreateDispatch':
      server.rooms.set(room, { metadata: JSON.parse(String(body.metadata)), has_phone: false });
      return respond(200, { id: 'AD_1', agentName: body.agent_name, room });
    case 'SIP/CreateSIPParticipant':
      return server.queue.add(newCall(server, room, body, respond));
    case 'RoomService/DeleteRoom':
      return server.rooms.delete(room)
        ? respond(200, {})
        : respond(404, { code: 'not_found', msg: 'room does not exist' });
    case 'RoomService/ListRooms':
      return respond(200, { rooms: [] });
    case 'RoomService/ListParticipants':
      return respond(200, { participants: server.rooms.get(room)?.has_phone ? [{ identity: 'phone' }] : [] });
    default:
      return respond(404, { code: 'bad_route', msg: method });
  }
}

async function postWebhook(url: string, event: Json, authorization?: string): Promise<number> {
  const body = JSON.stringify(event);
  const sha256 = createHash('sha256').update(body).digest('base64');
  const token = authorization ?? tokenOf(livekit_access, { sha256 });
  if (!authorization && !isAuthentic(livekit_access, token, Buffer.from(body))) throw new Error('unsigned');
  const headers = { authorization: token, 'content-type': 'application/webhook+json' };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

export async function startLiveKit() {
  const state: Server = { seen: [], rooms: new Map(), queue: callQueue() };
  let webhook_url = '';
  const server = createServer((request, response) => handle(state, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const post = (event: Json, authorization?: string) => postWebhook(webhook_url, event, authorization);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: state.seen,
    rooms: state.rooms,
    setWebhook: (url: string) => {
      webhook_url = url;
    },
    next: state.queue.next,
    post,
    /** Reports that the phone left the room. */
    left: (room: string, disconnectReason: string | number) =>
      post({
        event: 'participant_left',
        room: { name: room },
        participant: { identity: 'phone', disconnectReason },
      }),
    /** Reports a turn, as our agent's worker does. */
    turn: (room: string, turn: Json) => post({ event: 'parley_said', room: { name: room }, turn }),
    /** Reports that the person refused further contact, as our agent's worker does. */
    refuseContact: (room: string) => post({ event: 'parley_do_not_contact', room: { name: room } }),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
