export * from "./session.js";
export * from "./session-delegate.js";
