import { wireTime } from '../../../../core/platform/clock.ts'
import type { OauthApplication } from './oauth-application.store.ts'
import type { OAuth2Application } from './oauth2-application.model.ts'

/** Only responses that generate a secret contain `secret`. */
export function presentOauth2Application(application: OauthApplication, secret = ''): OAuth2Application {
  return {
    id: application.id,
    name: application.name,
    client_id: application.clientId,
    client_secret: secret,
    confidential_client: application.isConfidential,
    skip_secondary_authorization: application.skipsConsent,
    redirect_uris: [...application.redirectUris],
    created: wireTime(application.createdAt),
  }
}
