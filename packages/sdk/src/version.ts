// The version of the product; written by `npm run generate` from the root package.json.
export const version = '0.2.0';
