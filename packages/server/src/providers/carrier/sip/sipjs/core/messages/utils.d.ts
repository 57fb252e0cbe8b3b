/**
 * @param size -
 * @param base -
 * @internal
 */
export declare function createRandomToken(size: number, base?: number): string;
/**
 * @internal
 */
export declare function getReasonPhrase(code: number): string;
/**
 * @internal
 */
export declare function newTag(): string;
/**
 * @param str -
 * @internal
 */
export declare function headerize(str: string): string;
/**
 * @param str -
 * @internal
 */
export declare function utf8Length(str: string): number;
