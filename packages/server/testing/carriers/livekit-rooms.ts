// LiveKit's rooms in memory, with a phone in each: the port that the client library implements, and the far end for tests.
import { createHmac } from 'node:crypto';
import type { JoinedRoom, RoomListener, RoomPort } from '../../src/providers/carrier/livekit/room-port.ts';
import type { MediaClock } from '../../src/providers/media/media-clock.ts';
import { frame_ms, frame_samples } from '../../src/providers/media/media-session.ts';

export const livekit_access = { api_key: 'APItest', api_secret: 'secret-of-the-test', now_ms: Date.now };

/** The library holds twice its queue of 1000 ms; more would stay pending. */
const max_buffered_frames = 50;

export type MemoryRoom = {
  name: string;
  listener: RoomListener | null;
  is_published: boolean;
  /** Null while no phone is in the room. */
  attributes: Record<string, string> | null;
  phone_identity: string;
  /** Frames that the library has not played yet. */
  buffered: Int16Array[];
  said: Int16Array[];
  /** What the phone received, one entry per frame, silence included. */
  frames: Int16Array[];
  digits: string;
  has_left: boolean;
  stop(): void;
};

type Claims = { iss?: string; exp?: number; video?: { room?: string; roomJoin?: boolean }; sub?: string };

/** The claims of a token that is signed with the secret. */
export function claimsOf(token: string): Claims {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const expected = createHmac('sha256', livekit_access.api_secret)
    .update(`${header}.${payload}`)
    .digest('base64url');
  if (signature !== expected) throw new Error('the token is not signed with the secret');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
}

export const newRoom = (name: string): MemoryRoom => ({
  name,
  listener: null,
  is_published: false,
  attributes: null,
  phone_identity: 'phone',
  buffered: [],
  said: [],
  frames: [],
  digits: '',
  has_left: false,
  stop() {},
});

/** The rooms of one server. A room exists from its creation until it is deleted. */
export function memoryRooms(clock: MediaClock) {
  const rooms = new Map<string, MemoryRoom>();
  /** The next joins fail, as when the server cannot be reached. */
  let failing_joins = 0;
  let joins = Promise.resolve();
  const port: RoomPort = {
    async load() {},
    async join({ token }, listener) {
      const { video, iss, sub } = claimsOf(token);
      if (iss !== livekit_access.api_key || !video?.roomJoin || !sub)
        throw new Error('no permission to join');
      if (failing_joins > 0) {
        failing_joins--;
        throw new Error('the server cannot be reached');
      }
      await joins;
      const room = rooms.get(video.room ?? '');
      if (!room) throw new Error('the room does not exist');
      room.listener = listener;
      if (room.attributes) listener.phone(room.attributes, room.phone_identity);
      room.stop = clock.every(frame_ms, () => passFrame(room));
      return joined(room);
    },
  };
  return {
    port,
    rooms,
    failJoins(count: number): void {
      failing_joins = count;
    },
    /** Joins wait until the returned function is called, as on a slow network. */
    holdJoins(): () => void {
      const held = Promise.withResolvers<void>();
      joins = held.promise;
      return held.resolve;
    },
    /** Removes a participant, as RemoveParticipant does. False when there is none. */
    remove(name: string, identity: string): boolean {
      const room = rooms.get(name);
      if (!room?.attributes || room.phone_identity !== identity) return false;
      room.attributes = null;
      room.listener?.phoneLeft('PARTICIPANT_REMOVED');
      return true;
    },
    /** Deletes the room, as DeleteRoom does. False when there is none. */
    delete(name: string): boolean {
      const room = rooms.get(name);
      if (!room) return false;
      rooms.delete(name);
      if (room.attributes) room.listener?.phoneLeft('ROOM_DELETED');
      room.attributes = null;
      room.stop();
      room.listener?.connection('closed', 'ROOM_DELETED');
      return true;
    },
  };
}

/** 20 ms pass in the room. */
function passFrame(room: MemoryRoom): void {
  if (room.attributes?.['sip.callStatus'] !== 'active') return;
  room.frames.push(room.buffered.shift() ?? new Int16Array(frame_samples));
  room.listener?.frame(room.said.shift() ?? new Int16Array(frame_samples));
}

const joined = (room: MemoryRoom): JoinedRoom => ({
  async publish() {
    room.is_published = true;
    onPublished.get(room)?.();
    room.listener?.subscribed();
  },
  play(pcm) {
    if (pcm.length !== frame_samples) throw new Error('a frame has 160 samples');
    if (room.buffered.length >= max_buffered_frames)
      throw new Error('InvalidState - failed to capture frame');
    room.buffered.push(pcm.slice());
  },
  clear() {
    room.buffered = [];
  },
  async sendDigit(digit) {
    room.digits += digit;
  },
  async leave() {
    room.has_left = true;
    room.stop();
    room.listener = null;
  },
});

/** What LiveKit does when the first track is published: it answers an inbound call. */
export const onPublished = new WeakMap<MemoryRoom, () => void>();

/** The phone in a room, as a test uses it. */
export function phoneIn(room: MemoryRoom) {
  const setStatus = (status: string) => {
    room.attributes = { ...room.attributes, 'sip.callStatus': status };
    room.listener?.phone(room.attributes, room.phone_identity);
  };
  return {
    setStatus,
    say(pcm: Int16Array): void {
      for (let at = 0; at < pcm.length; at += frame_samples) {
        const frame = new Int16Array(frame_samples);
        frame.set(pcm.subarray(at, at + frame_samples));
        room.said.push(frame);
      }
    },
    press: (digit: string) => room.listener?.digit(digit),
    frames: () => room.frames,
    levels: () => room.frames.map((frame) => Math.max(...frame)),
    digits: () => room.digits,
    /** The phone leaves the room, for a reason of LiveKit's DisconnectReason. */
    leave(reason: string): void {
      room.attributes = null;
      room.listener?.phoneLeft(reason);
    },
    hangUp(): void {
      this.leave('CLIENT_INITIATED');
    },
  };
}
export type RoomPhone = ReturnType<typeof phoneIn>;
