export * from "./constants.js";
export * from "./ack.js";
export * from "./bye.js";
export * from "./cancel.js";
export * from "./invite.js";
export * from "./prack.js";
export * from "./update.js";
