import { Type } from '@sinclair/typebox'

export const oauth2Section = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Let applications sign users in: the OAuth2 and OpenID Connect provider.' }),
    default_applications: Type.Array(Type.String(), { default: ['git-credential-oauth', 'git-credential-manager', 'tea'], description: 'Clients that are known without registering: git-credential-oauth, git-credential-manager, tea.' }),
    access_token_expiration_time: Type.Integer({ default: 3600, minimum: 1, maximum: 31_536_000, description: 'Seconds that an access token lasts.' }),
    refresh_token_expiration_time: Type.Integer({ default: 730, minimum: 1, maximum: 87_600, description: 'Hours that a refresh token lasts.' }),
    invalidate_refresh_tokens: Type.Boolean({ default: false, description: 'A refresh token works once, and using an old one again ends the sign-in it came from. Clients that refresh in parallel cannot take that.' }),
  },
  { additionalProperties: false, description: 'The OAuth2 and OpenID Connect provider.' },
)
