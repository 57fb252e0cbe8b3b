// Recipients for examples: those of the sandbox where it is on, else reserved example addresses.
import { facts } from '../session/facts.ts';

const { is_sandbox } = facts;

export const example_address = is_sandbox ? 'delivered@sandbox.test' : 'ana@example.com';
/** Answers calls. */
export const example_callee = is_sandbox ? '+15005550201' : '+14155550123';
/** Replies to texts. */
export const example_texter = is_sandbox ? '+15005550007' : '+14155550123';
/** The phone of the sandbox that rings in the console. */
export const own_phone = '+15005550210';
