// The data of delivery events, in the same shape for every kind.

export const deliveryEventData = (
  email: { id: string; from_address: string; to_addresses: string[]; subject: string },
  kind: string,
  occurred_at: string,
  detail: Record<string, unknown>,
): Record<string, unknown> => ({
  id: email.id,
  kind,
  occurred_at,
  from_address: email.from_address,
  to_addresses: email.to_addresses,
  subject: email.subject,
  detail,
});
