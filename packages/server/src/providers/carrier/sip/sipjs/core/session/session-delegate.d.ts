import { IncomingAckRequest } from "../messages/methods/ack.js";
import { IncomingByeRequest } from "../messages/methods/bye.js";
import { IncomingInviteRequest } from "../messages/methods/invite.js";
import { IncomingUpdateRequest } from "../messages/methods/update.js";
import { IncomingPrackRequest } from "../messages/methods/prack.js";
/**
 * Session delegate.
 * @public
 */
export interface SessionDelegate {
    /**
     * Receive ACK request.
     * @param request - Incoming ACK request.
     * @returns
     * The callback MUST return a promise if it asynchronously handles answers.
     * For example, an ACK with an answer (offer in the 200 Ok) may require
     * asynchronous processing in which case the callback MUST return a Promise
     * which resolves when the answer handling is complete.
     * @privateRemarks
     * Unlike INVITE handling where we can rely on the generation of a response
     * to indicate when offer/answer processing has been completed, ACK handling
     * requires some indication from the handler that answer processing is complete
     * so that we can avoid some race conditions (see comments in code for more details).
     * Having the handler return a Promise provides said indication.
     */
    onAck?(request: IncomingAckRequest): Promise<void> | void;
    /**
     * Timeout waiting for ACK request.
     * If no handler is provided the Session will terminated with a BYE.
     * https://tools.ietf.org/html/rfc3261#section-13.3.1.4
     */
    onAckTimeout?(): void;
    /**
     * Receive BYE request.
     * https://tools.ietf.org/html/rfc3261#section-15.1.2
     * @param request - Incoming BYE request.
     */
    onBye?(request: IncomingByeRequest): void;
    /**
     * Receive re-INVITE request.
     * https://tools.ietf.org/html/rfc3261#section-14.2
     * @param request - Incoming INVITE request.
     */
    onInvite?(request: IncomingInviteRequest): void;
    /**
     * Receive UPDATE request.
     * https://tools.ietf.org/html/rfc3311#section-5.2
     * @param request - Incoming UPDATE request.
     */
    onUpdate?(request: IncomingUpdateRequest): void;
}
