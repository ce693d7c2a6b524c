import { Type } from '@sinclair/typebox'

export const oauth2Section = Type.Object(
  {
    enabled: Type.Boolean({
      default: true,
      description: 'Let applications sign users in: the OAuth2 and OpenID Connect provider.',
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
      description: 'Seconds that an access token lasts.',
    }),
    refresh_token_expiration_time: Type.Integer({
      default: 730,
      minimum: 1,
      maximum: 87_600,
      description: 'Hours that a refresh token lasts.',
    }),
    jwt_signing_algorithm: Type.Union(
      (['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'HS256', 'HS384', 'HS512'] as const).map(
        (algorithm) => Type.Literal(algorithm),
      ),
      {
        default: 'RS256',
        description:
          'How tokens are signed. A change ends every token that was given out. With HS*, clients verify id tokens ' +
          'with their own secret, so that public clients get none.',
      },
    ),
    jwt_claim_issuer: Type.String({
      default: '',
      description: 'What tokens and discovery call this server. Empty: server.root_url.',
    }),
    max_token_length: Type.Integer({
      default: 32_767,
      minimum: 512,
      maximum: 1_048_576,
      description: 'Maximum number of characters of a token that is read.',
    }),
    invalidate_refresh_tokens: Type.Boolean({
      default: false,
      description:
        'A refresh token works once, and using an old one again ends the sign-in it came from. Clients that ' +
        'refresh in parallel cannot take that.',
    }),
  },
  { additionalProperties: false, description: 'The OAuth2 and OpenID Connect provider.' },
)
