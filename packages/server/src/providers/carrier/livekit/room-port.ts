// The port of LiveKit rooms: what a call needs from the client library. The library itself is only in rtc-node.ts.

/** What happens in a room that we joined. */
export type RoomListener = {
  /** The phone is in the room, or its attributes changed. They contain `sip.callStatus` and the numbers. */
  phone(attributes: Record<string, string>, identity: string): void;
  /** `reason` is a name of LiveKit's DisconnectReason. */
  phoneLeft(reason: string): void;
  /** Whether LiveKit's server has lost the phone's side: no packets come from its SIP service. */
  phoneLost(is_lost: boolean): void;
  /** 20 ms of the phone's audio at 8 kHz. */
  frame(pcm: Int16Array): void;
  /** A key of the phone: 0-9, *, #, A-D. */
  digit(digit: string): void;
  /** The phone's side receives our audio from now on; audio that we sent before is lost. */
  subscribed(): void;
  /** `closed` is final: the room was deleted, or the library stopped its attempts to connect again. */
  connection(state: 'lost' | 'restored' | 'closed', reason: string): void;
};

export type JoinedRoom = {
  /** Publishes our audio track. LiveKit answers an inbound call when the first track is published. */
  publish(): Promise<void>;
  /** Queues one frame in the library, which copies it. */
  play(pcm: Int16Array): void;
  /** Drops the frames that the library has not sent yet. */
  clear(): void;
  sendDigit(digit: string): Promise<void>;
  leave(): Promise<void>;
};

export type RoomPort = {
  /** Rejects with a text that names the missing package. */
  load(): Promise<void>;
  /** Rejects when the room cannot be joined. */
  join(where: { url: string; token: string }, listener: RoomListener): Promise<JoinedRoom>;
};
