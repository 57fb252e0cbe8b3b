import { SessionDialog } from "../dialogs/session-dialog.js";
import { IncomingRequestDelegate } from "../messages/incoming-request.js";
import { IncomingRequestMessage } from "../messages/incoming-request-message.js";
import { IncomingUpdateRequest } from "../messages/methods/update.js";
import { OutgoingResponse, ResponseOptions } from "../messages/outgoing-response.js";
import { UserAgentServer } from "./user-agent-server.js";
/**
 * UPDATE UAS.
 * @public
 */
export declare class UpdateUserAgentServer extends UserAgentServer implements IncomingUpdateRequest {
    private dialog;
    constructor(dialog: SessionDialog, message: IncomingRequestMessage, delegate?: IncomingRequestDelegate);
    accept(options?: ResponseOptions): OutgoingResponse;
    reject(options?: ResponseOptions): OutgoingResponse;
}
