export { ONE_TIME_CODE_REFUSED } from './authenticate.service.ts'
export {
  findVisitor,
  formField,
  HOME,
  LOGOUT,
  NEW_PASSWORD,
  type PageDeps,
  pathTo,
  queryFields,
  readOwnForm,
  redirectToSignIn,
  refuseForm,
  signInPath,
  tokenField,
  type Visitor,
  withForms,
  sessionActor,
} from './web/browser.ts'
export { type CookieJar, createCookieJar } from './web/cookies.ts'
export { type Fields, readFields } from './web/form.ts'
export { Html, safeHtml } from './web/html.ts'
export type { FailedAttempt } from './failed-attempts.ts'
export type { SignInRecords, SourcedActor } from './sign-in-records.service.ts'
export { type KeyHolder, type KeyLogins, viewerOfKey, viewerOfKeyOwner } from './key-logins.service.ts'
export type { KeyUse } from './key-use.ts'
export { redirectTo, sendPage } from './web/page.ts'
export type { Sessions } from './web/sessions.service.ts'
export type { TokenRepos } from './tokens/token-repos.ts'
export { plainTextErrors } from './web/web-replies.ts'
