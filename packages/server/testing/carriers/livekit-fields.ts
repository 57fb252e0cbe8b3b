// The fields of the requests that we send to LiveKit, as its published protocol names them (livekit_room.proto, livekit_sip.proto,
// livekit_models.proto). The stand-in refuses other fields, as a typed server would ignore them.

type Fields = { readonly [name: string]: true | Fields };

const trunk: Fields = {
  name: true,
  metadata: true,
  numbers: true,
  allowed_addresses: true,
  allowed_numbers: true,
  auth_username: true,
  auth_password: true,
  headers: true,
  ringing_timeout: true,
  max_call_duration: true,
  krisp_enabled: true,
};
const rule: Fields = {
  name: true,
  metadata: true,
  trunk_ids: true,
  hide_phone_number: true,
  rule: { dispatch_rule_callee: { room_prefix: true, pin: true, randomize: true } },
  room_config: {
    name: true,
    empty_timeout: true,
    departure_timeout: true,
    max_participants: true,
    agents: { agent_name: true, metadata: true },
  },
};

export const request_fields: Readonly<Record<string, Fields>> = {
  'RoomService/CreateRoom': {
    name: true,
    empty_timeout: true,
    departure_timeout: true,
    max_participants: true,
    metadata: true,
  },
  'RoomService/DeleteRoom': { room: true },
  'RoomService/RemoveParticipant': { room: true, identity: true },
  'RoomService/ListRooms': { names: true },
  'RoomService/ListParticipants': { room: true },
  'SIP/CreateSIPParticipant': {
    sip_trunk_id: true,
    sip_call_to: true,
    sip_number: true,
    room_name: true,
    participant_identity: true,
    participant_name: true,
    headers: true,
    hide_phone_number: true,
    play_dialtone: true,
    ringing_timeout: true,
    max_call_duration: true,
    krisp_enabled: true,
    wait_until_answered: true,
  },
  'SIP/ListSIPInboundTrunk': { trunk_ids: true, numbers: true },
  'SIP/CreateSIPInboundTrunk': { trunk },
  'SIP/UpdateSIPInboundTrunk': { sip_trunk_id: true, replace: trunk },
  'SIP/ListSIPDispatchRule': { dispatch_rule_ids: true, trunk_ids: true },
  'SIP/CreateSIPDispatchRule': { dispatch_rule: rule },
  'SIP/UpdateSIPDispatchRule': { sip_dispatch_rule_id: true, replace: rule },
};

/** The fields of the value that the protocol does not have; arrays are checked item by item. */
export function unknownFields(value: unknown, fields: Fields | true, path = ''): string[] {
  if (fields === true || value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((item) => unknownFields(item, fields, path));
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = fields[name];
    return known === undefined ? [`${path}${name}`] : unknownFields(inner, known, `${path}${name}.`);
  });
}
