import { updateDeployKeyUse } from '../collaborators/index.ts'
import { createCookieJar } from '../sign-in/index.ts'
import { defineSubject } from '../subject.ts'
import { createKeyTargets, type KeyTargets } from './key-targets.service.ts'
import { tokenRepos } from './token-repos.ts'
import { createWebAccess, type WebAccess } from './web-access.service.ts'

declare module '../subject.ts' {
  interface Services {
    readonly keyTargets: KeyTargets
    readonly webAccess: WebAccess
  }
}

/** Which repositories the credentials of the sign-in module reach: browser sessions, SSH keys, restricted tokens. */
export const subject = defineSubject({
  name: 'repo-access',
  needs: ['authenticate', 'keyLogins', 'repos', 'sessions', 'tokenRepos'],
  create({ config, database, site }, services) {
    const { authenticate, keyLogins, repos, sessions } = services
    services.tokenRepos.register(tokenRepos)
    keyLogins.onDeployKeyUse(updateDeployKeyUse)
    return {
      services: {
        keyTargets: createKeyTargets(database.read),
        webAccess: createWebAccess({
          authenticate,
          repos,
          sessions,
          jar: createCookieJar(site.rootUrl),
          requireSignIn: config.service.require_signin_view,
        }),
      },
    }
  },
})
