/** The files are missing, damaged, too large or of an unsupported kind: git has to answer. */
export class UnsupportedError extends Error {}
