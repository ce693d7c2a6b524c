import { updateDeployKeyUse } from '../collaborators/deploy-keys/deploy-key.store.ts'
import { webPages } from '../../accounts/index.ts'
import { defineModule } from '../../../core/module.ts'
import { createKeyTargets, type KeyTargets, createWebAccess, type WebAccess } from './repo-access.service.ts'
import { tokenRepos } from './token-repos.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly keyTargets: KeyTargets
    readonly webAccess: WebAccess
  }
}

/**
 * The repositories that the credentials of the sign-in module may access: browser sessions, SSH keys, restricted
 * tokens.
 */
export const module = defineModule({
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
          jar: webPages.createCookieJar(site.rootUrl),
          requireSignIn: config.service.require_signin_view,
        }),
      },
    }
  },
})
