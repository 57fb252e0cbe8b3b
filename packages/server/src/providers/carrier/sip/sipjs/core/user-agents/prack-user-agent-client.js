import { C } from "../messages/methods/constants.js";
import { NonInviteClientTransaction } from "../transactions/non-invite-client-transaction.js";
import { UserAgentClient } from "./user-agent-client.js";
/**
 * PRACK UAC.
 * @public
 */
export class PrackUserAgentClient extends UserAgentClient {
    constructor(dialog, delegate, options) {
        const message = dialog.createOutgoingRequestMessage(C.PRACK, options);
        super(NonInviteClientTransaction, dialog.userAgentCore, message, delegate);
        dialog.signalingStateTransition(message);
        this.dialog = dialog;
    }
    /** A challenged PRACK is repeated with the next number of its dialog, so that later requests have higher ones. */
    authenticationGuard(message) {
        return super.authenticationGuard(message, this.dialog);
    }
}
