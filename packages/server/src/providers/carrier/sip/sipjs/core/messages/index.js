// Directories
export * from "./methods/index.js";
// Files
export * from "./body.js";
export * from "./incoming-message.js";
export * from "./incoming-request-message.js";
export * from "./incoming-request.js";
export * from "./incoming-response-message.js";
export * from "./incoming-response.js";
export * from "./outgoing-request-message.js";
export * from "./outgoing-request.js";
export * from "./outgoing-response.js";
export * from "./parser.js";
