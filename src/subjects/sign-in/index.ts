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
  tokenField,
  type Visitor,
  withForms,
} from './browser.ts'
export { createCookieJar } from './cookies.ts'
export { type Fields, readFields } from './form.ts'
export { type Html, safeHtml } from './html.ts'
export type { KeyHolder, KeyLogins, KeyTarget } from './key-logins.service.ts'
export { redirectTo, sendPage } from './page.ts'
export type { WebAccess } from './web-access.service.ts'
export { plainTextErrors } from './web-replies.ts'
