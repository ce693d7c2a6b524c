import { HOME, pathTo, queryFields, redirectToSignIn, signInPath } from './browser.ts'
import { createCookieJar } from './cookies.ts'
import { sendPage } from './page.ts'
import { plainTextErrors } from './web-replies.ts'

/** The functions with which later domains build pages for browsers. */
export const webPages = {
  home: HOME,
  pathTo,
  queryFields,
  signInPath,
  redirectToSignIn,
  send: sendPage,
  plainTextErrors,
  createCookieJar,
} as const
