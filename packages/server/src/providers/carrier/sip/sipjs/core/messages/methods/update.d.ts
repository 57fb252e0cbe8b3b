import { IncomingRequest } from "../incoming-request.js";
/**
 * Incoming UPDATE request.
 * @public
 */
export interface IncomingUpdateRequest extends IncomingRequest {
}
