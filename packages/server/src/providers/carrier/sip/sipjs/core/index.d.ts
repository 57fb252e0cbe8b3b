/**
 * A core library implementing low level SIP protocol elements.
 * @packageDocumentation
 */
export * from "./dialogs/index.js";
export * from "./exceptions/index.js";
export * from "./log/index.js";
export * from "./messages/index.js";
export * from "./session/index.js";
export * from "./transactions/index.js";
export * from "./user-agent-core/index.js";
export * from "./user-agents/index.js";
export * from "./timers.js";
export * from "./transport.js";
export * from "../grammar/index.js";
