import { corsSettings } from '../../../core/http/cors-settings.ts'
import { createCookieJar } from '../sign-in/web/cookies.ts'
import { withForms } from '../sign-in/web/browser.ts'
import { avatarUrl } from '../users/user.present.ts'
import { type Core, defineModule } from '../../../core/module.ts'
import { oauthApplicationOperations } from './applications/applications.operations.ts'
import { registerApplications } from './applications/applications.routes.ts'
import { createOauthApplications } from './applications/applications.service.ts'
import { findAuthorizedClient, registerAuthorize } from './authorize.routes.ts'
import { oauthEvents } from './oauth.events.ts'
import { registerOauth } from './oauth.routes.ts'
import { sealedSigningKeyColumns } from './signing-keys/signing-key.ts'
import { createOauthProvider, type OauthProvider } from './provider.service.ts'

const HOUR_SECONDS = 3600

/** The OAuth2 and OpenID Connect provider: applications, consent pages, and tokens. */
export const module = defineModule({
  name: 'oauth',
  needs: ['authenticate', 'bearerTokens', 'redirectTargets', 'sessions', 'users'],
  create(core, { authenticate, bearerTokens, redirectTargets, sessions, users }) {
    const { config, database, clock, events, secrets, site } = core
    const { rootUrl } = site
    const applications = createOauthApplications({ database, clock, events })
    const provider = config.oauth2.enabled ? createProvider(core) : undefined
    if (provider !== undefined) {
      bearerTokens.register(provider.readAccessToken)
      redirectTargets.register((url) => findAuthorizedClient({ provider, rootUrl }, url))
    }
    return {
      operations: oauthApplicationOperations({ applications }),
      events: oauthEvents,
      sealedColumns: [sealedSigningKeyColumns],
      async routes(http) {
        await withForms(http, (scope) => {
          const deps = { provider, sessions, jar: createCookieJar(rootUrl), rootUrl }
          registerApplications(scope, deps)
          if (provider !== undefined) registerAuthorize(scope, { ...deps, provider, secrets, clock })
        })
        if (provider === undefined) return
        const cors = corsSettings(config.cors)
        const findUser = users.findByName
        await withForms(http, (scope) => registerOauth(scope, { provider, authenticate, findUser, cors, rootUrl }))
      },
    }
  },
})

function createProvider({ config: { oauth2 }, database, clock, events, secrets, site }: Core): OauthProvider {
  const { rootUrl } = site
  return createOauthProvider({
    database,
    clock,
    events,
    secrets,
    settings: {
      accessLifetime: oauth2.access_token_expiration_time,
      refreshLifetime: oauth2.refresh_token_expiration_time * HOUR_SECONDS,
      rotate: oauth2.invalidate_refresh_tokens,
      signingAlgorithm: oauth2.jwt_signing_algorithm,
      maxTokenLength: oauth2.max_token_length,
      builtIn: oauth2.default_applications,
    },
    rootUrl,
    issuer: () => oauth2.jwt_claim_issuer || rootUrl(),
    avatarUrl: (user) => avatarUrl(user, site),
  })
}
