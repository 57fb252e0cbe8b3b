export * from "./dialog.js";
export * from "./dialog-state.js";
export * from "./session-dialog.js";
