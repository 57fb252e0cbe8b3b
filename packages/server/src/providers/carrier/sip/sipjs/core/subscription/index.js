export * from "./subscription.js";
export * from "./subscription-delegate.js";
