import { engineErrors, invalidField } from '../../../../core/platform/errors.ts'
import { isHttpUrl } from '../../../../core/platform/html.ts'
import type { KindRules } from '../kind-rules.ts'
import type { OidcSettings } from './oidc.model.ts'

const REGISTRATIONS: ReadonlySet<string> = new Set(['off', 'on', 'domains'])

/** The rules of OpenID Connect and OAuth2 sources (docs/operate/sign-in.md#openid-connect-and-oauth2). */
export const oidcKind: KindRules<OidcSettings> = {
  defaults: {
    issuer: '',
    authorization_url: '',
    token_url: '',
    userinfo_url: '',
    client_id: '',
    client_secret: '',
    scopes: ['openid', 'profile', 'email'],
    subject_claim: 'sub',
    username_claim: 'preferred_username',
    email_claim: 'email',
    full_name_claim: 'name',
    trust_email: false,
    registration: 'off',
    allowed_domains: [],
    groups_claim: '',
    allowed_groups: [],
    admin_groups: [],
    restricted_groups: [],
    group_teams: [],
    remove_from_teams: false,
    skip_second_factor: false,
  },
  secrets: ['client_secret'],
  async check(settings) {
    if (!isHttpUrl(settings.issuer)) throw invalidField('Issuer', 'Url')
    if (settings.client_id === '') throw engineErrors.fieldRequired('ClientId')
    checkEndpoints(settings)
    if (!REGISTRATIONS.has(settings.registration)) throw invalidField('Registration', 'must be off, on or domains')
    if (settings.registration === 'domains' && settings.allowed_domains.length === 0)
      throw engineErrors.fieldRequired('AllowedDomains')
    const usesGroups =
      settings.allowed_groups.length > 0 ||
      settings.admin_groups.length > 0 ||
      settings.restricted_groups.length > 0 ||
      settings.group_teams.length > 0
    if (usesGroups && settings.groups_claim === '') throw engineErrors.fieldRequired('GroupsClaim')
  },
}

/** All three or none: without them the provider says where they are. */
function checkEndpoints(settings: OidcSettings): void {
  const endpoints = {
    AuthorizationUrl: settings.authorization_url,
    TokenUrl: settings.token_url,
    UserinfoUrl: settings.userinfo_url,
  }
  const given = Object.values(endpoints).filter((url) => url !== '').length
  for (const [field, url] of Object.entries(endpoints)) {
    if (given > 0 && url === '') throw engineErrors.fieldRequired(field)
    if (url !== '' && !isHttpUrl(url)) throw invalidField(field, 'Url')
  }
  if (settings.subject_claim === '') throw engineErrors.fieldRequired('SubjectClaim')
  if (given === 0 && settings.subject_claim !== 'sub')
    throw invalidField('SubjectClaim', 'must be sub for OpenID Connect')
  if (given === 0 && !settings.scopes.includes('openid')) throw invalidField('Scopes', 'must contain openid')
}
