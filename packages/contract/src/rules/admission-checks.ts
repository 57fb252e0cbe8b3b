// The checks that everything that is sent must pass, in the order in which the server runs them.

export const checkNames = [
  'kill_switch',
  'conversation',
  'destination',
  'suppression',
  'consent',
  'quiet_hours',
  'recipients',
  'velocity',
  'budget',
  'funds',
  'llm',
  'approval',
] as const;
export type CheckName = (typeof checkNames)[number];
