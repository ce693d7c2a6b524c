import { HOME, pathTo, queryFields, redirectToSignIn, signInPath } from './browser.ts'
import { createCookieJar } from './cookies.ts'
import { sendPage } from './page.ts'
import { plainTextErrors } from './web-replies.ts'

/** What pages for browsers in later domains are made with. */
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
