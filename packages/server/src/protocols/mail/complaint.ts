// Decides which feedback types are complaints (RFC 5965). "not-spam", opt-outs and authentication reports are not complaints.

const complaints = ['abuse', 'fraud', 'virus', 'other', 'miscategorized'];

/** A feedback report without a type counts as a complaint. */
export const isComplaint = (feedback_type: string | null): boolean =>
  feedback_type === null || complaints.includes(feedback_type.toLowerCase());
