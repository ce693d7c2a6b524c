/**
 * What refers to accounts, issues and commits in running text. Rendering makes links of it, and the subject
 * `references` timeline entries and notifications.
 */
export const MENTION = /(?<![\w/@.])@([0-9a-zA-Z][-.\w]*)/g
/** NOTE: names are bounded, so that a long run of their characters is read in linear time. */
export const FULL_REFERENCE = /(?<![\w/])([\w-][\w.-]{0,39}\/[\w.-]{1,100})([#!])(\d{1,10})(?![\w])/g
export const SHORT_REFERENCE = /(?<![\w/&])([#!])(\d{1,10})(?![\w-])/g
export const COMMIT_REFERENCE = /(?<![\w/])([\w-][\w.-]{0,39}\/[\w.-]{1,100})@([0-9a-f]{7,64})(?![\w])/g
