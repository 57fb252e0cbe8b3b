/**
 * A core library implementing low level SIP protocol elements.
 * @packageDocumentation
 */
// Directories
export * from "./dialogs/index.js";
export * from "./exceptions/index.js";
export * from "./log/index.js";
export * from "./messages/index.js";
export * from "./session/index.js";
export * from "./transactions/index.js";
export * from "./user-agent-core/index.js";
export * from "./user-agents/index.js";
// Files
export * from "./timers.js";
export * from "./transport.js";
// Grammar
// TODO:
// - This is documented as part of the core, but it is also exported by root index.js.
// - Arguably move grammar to core proper and deprecate the export from the root.
// - Arguably URI should be a top level export.
export * from "../grammar/index.js";
