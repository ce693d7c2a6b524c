/** The files are absent, damaged, too large or of a kind that is not read here: git has to answer. */
export class UnsupportedError extends Error {}
