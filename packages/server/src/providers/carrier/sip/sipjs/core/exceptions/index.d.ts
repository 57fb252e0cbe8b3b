export * from "./exception.js";
export * from "./transaction-state-error.js";
export * from "./transport-error.js";
