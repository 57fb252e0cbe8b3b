import { Exception } from "./exception.js";
/**
 * Transport error.
 * @public
 */
export declare class TransportError extends Exception {
    constructor(message?: string);
}
