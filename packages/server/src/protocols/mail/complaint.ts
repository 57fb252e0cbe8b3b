// Tells which kinds of feedback are complaints (RFC 5965): "not-spam" takes one back, opt-outs and authentication reports are none.

const complaints = ['abuse', 'fraud', 'virus', 'other', 'miscategorized'];

/** A complaint that does not say of which kind it is, is one. */
export const isComplaint = (feedback_type: string | null): boolean =>
  feedback_type === null || complaints.includes(feedback_type.toLowerCase());
