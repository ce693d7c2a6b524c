import { Type } from '@sinclair/typebox'

export const oauth2Section = Type.Object(
  {
    enabled: Type.Boolean({
      default: true,
      description: 'Enable the OAuth2 and OpenID Connect provider, which lets applications sign users in.',
    }),
    default_applications: Type.Array(
      Type.Union([Type.Literal('git-credential-oauth'), Type.Literal('git-credential-manager'), Type.Literal('tea')]),
      {
        default: ['git-credential-oauth', 'git-credential-manager', 'tea'],
        description: 'Clients that are registered by default: git-credential-oauth, git-credential-manager, tea.',
      },
    ),
    access_token_expiration_time: Type.Integer({
      default: 3600,
      minimum: 1,
      maximum: 31_536_000,
      description: 'Lifetime of access tokens, in seconds.',
    }),
    refresh_token_expiration_time: Type.Integer({
      default: 730,
      minimum: 1,
      maximum: 87_600,
      description: 'Lifetime of refresh tokens, in hours.',
    }),
    jwt_signing_algorithm: Type.Union(
      (['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'HS256', 'HS384', 'HS512'] as const).map(
        (algorithm) => Type.Literal(algorithm),
      ),
      {
        default: 'RS256',
        description:
          'Signature algorithm of tokens. Changing it revokes all issued tokens. With HS*, clients verify id tokens ' +
          'with their own secret, so public clients get no id tokens.',
      },
    ),
    jwt_claim_issuer: Type.String({
      default: '',
      description: 'Issuer in tokens and discovery. Empty: server.root_url.',
    }),
    max_token_length: Type.Integer({
      default: 32_767,
      minimum: 512,
      maximum: 1_048_576,
      description: 'Maximum length of an accepted token, in characters.',
    }),
    invalidate_refresh_tokens: Type.Boolean({
      default: false,
      description:
        'Refresh tokens work once, and reuse of an old one revokes the sign-in it came from. Clients that ' +
        'refresh in parallel do not work with this setting.',
    }),
  },
  { additionalProperties: false, description: 'The OAuth2 and OpenID Connect provider.' },
)
