import { C } from "../messages/methods/constants.js";
/**
 * Requests with other methods get a 405 (Method Not Allowed) response.
 */
export const AllowedMethods = [C.INVITE, C.ACK, C.CANCEL, C.BYE, C.OPTIONS, C.UPDATE];
