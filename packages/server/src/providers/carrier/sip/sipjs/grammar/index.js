export * from "./grammar.js";
export * from "./name-addr-header.js";
export * from "./parameters.js";
export * from "./uri.js";
