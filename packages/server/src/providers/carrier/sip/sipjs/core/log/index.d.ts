export * from "./levels.js";
export * from "./logger-factory.js";
export * from "./logger.js";
