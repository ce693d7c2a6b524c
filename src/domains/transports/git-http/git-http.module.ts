import { corsSettings } from '../../../core/http/cors-settings.ts'
import { defineModule } from '../../../core/module.ts'
import { registerGitHttp } from './git-http.routes.ts'
import { registerForOrigins } from './origins.ts'

/** Git over HTTP. */
export const module = defineModule({
  name: 'git-http',
  needs: ['authenticate', 'gitTransport', 'pushes', 'repos', 'users', 'wikis'],
  create({ config, git, log }, { authenticate, gitTransport, pushes, repos, users, wikis }) {
    const settings = {
      disabled: config.repository.disable_http_git,
      // COMPAT: credential managers offer OAuth2 if they recognize the first of these realms
      // (behaviour/auth-and-access#authentication-methods; test/accounts/sign-in/authentication.test.ts).
      realm: config.oauth2.enabled ? 'Gitea' : 'Gitea (Basic Auth)',
      allowOrigin: config.git.access_control_allow_origin,
      requireSignIn: config.service.require_signin_view,
    }
    const deps = { authenticate, git, log, pushes, repos, settings, transport: gitTransport, users, wikis }
    return {
      routes(http) {
        registerForOrigins(http, corsSettings(config.cors), (scope) => registerGitHttp(scope, deps))
      },
    }
  },
})
