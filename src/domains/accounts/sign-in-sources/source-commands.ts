import { readOidcOptions } from './oidc/oidc-options.ts'
import { presentTest } from './source.present.ts'

/** Reading and printing for the commands of sign-in sources. */
export const sourceCommands = { readOidcOptions, presentTest }
