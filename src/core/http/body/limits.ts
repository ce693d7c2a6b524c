/**
 * What requests may measure (behaviour/auth-and-access#request-limits). Beyond it they are refused before the server
 * does more with them than count. Every text and list that a client sends has one of these bounds, or a smaller one of
 * the field's own.
 */

const MIB = 1024 * 1024

/** Bytes of a body, unless its operation declares more in `bodyLimit`. */
export const BODY_BYTES = MIB
/** Bytes of the body of operations that carry files, and characters of one of these; the limit of the server is smaller. */
export const FILES_BODY_BYTES = 256 * MIB
/** Bytes of the body of operations that carry one image in base64, and characters of the image. */
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
/** Characters of a path, a reference, a revision or a title; what is stored may have less. */
export const PATH_LENGTH = 4096
/** Characters of an address. */
export const URL_LENGTH = 2048
/** Characters of a time. */
export const TIME_LENGTH = 64
/** Characters of a text in the words of a person: a message, a description, a key in its armor. */
export const TEXT_LENGTH = 65_535
/** Characters of a text that is shown as a page of its own: a release's notes, text to render. */
export const PAGE_LENGTH = MIB

/** Items of a list of short things that a person enters: addresses, words, topics. */
export const LIST_ITEMS = 100
/** Items of a list that a program makes: files of a commit. */
export const BATCH_ITEMS = 1000
