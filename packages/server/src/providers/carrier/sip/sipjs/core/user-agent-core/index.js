export * from "./user-agent-core.js";
export * from "./user-agent-core-configuration.js";
export * from "./user-agent-core-delegate.js";
