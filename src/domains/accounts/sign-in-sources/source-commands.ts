import { readOidcOptions } from './oidc/oidc-options.ts'
import { presentTest } from './source.present.ts'

/** What the commands of sign-in sources read and print. */
export const sourceCommands = { readOidcOptions, presentTest }
