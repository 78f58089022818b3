/** The version of package.json: a test compares them. */
export const version = '0.1.0'
