import { IncomingInviteRequest } from "../messages/methods/invite.js";
/**
 * User Agent Core delegate.
 * @public
 */
export interface UserAgentCoreDelegate {
    /**
     * Receive INVITE request.
     * @param request - Incoming INVITE request.
     */
    onInvite?(request: IncomingInviteRequest): void;
}
