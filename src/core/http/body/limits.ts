/**
 * Limits of requests (behaviour/auth-and-access#request-limits). A request beyond a limit is refused before the server
 * does more than count. Every string and list from a client has one of these limits, or a smaller one of
 * its field.
 */

const MIB = 1024 * 1024

/** Bytes of a body, unless its operation declares more in `bodyLimit`. */
export const BODY_BYTES = MIB
/**
 * Bytes of the body of operations that accept files, and characters of one file; the limit of the server is smaller.
 */
export const FILES_BODY_BYTES = 256 * MIB
/** Bytes of the body of operations that accept one image in base64, and characters of the image. */
export const IMAGE_BODY_BYTES = 16 * MIB
/** Bytes of a urlencoded body, whatever the operation: it is read before the caller is known. */
export const URLENCODED_BYTES = MIB
/** Fields of a form; also the parts of a multipart form, fields or not. */
export const FORM_FIELDS = 1000
/** Levels of objects and arrays in JSON. */
export const JSON_DEPTH = 100
/** Members and items in JSON, those of inner objects and arrays included. */
export const JSON_VALUES = 10_000

/** Characters of names, words, patterns and ids. */
export const NAME_LENGTH = 255
/** Characters of a path, a reference, a revision or a title; the maximum stored length may be smaller. */
export const PATH_LENGTH = 4096
/** Characters of an address. */
export const URL_LENGTH = 2048
/** Characters of a time. */
export const TIME_LENGTH = 64
/** Characters of a text that a person writes: a message, a description, an armored key. */
export const TEXT_LENGTH = 65_535
/** Characters of a long text: release notes, text to render. */
export const PAGE_LENGTH = MIB

/** Items of a list of short values that a person enters: addresses, words, topics. */
export const LIST_ITEMS = 100
/** Items of a list that a program generates: files of a commit. */
export const BATCH_ITEMS = 1000
