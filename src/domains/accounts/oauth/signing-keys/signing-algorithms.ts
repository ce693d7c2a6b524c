/** How OAuth2 tokens may be signed (RFC 7518 §3.1, RFC 8037 §3.1). */
export type SigningAlgorithm =
  'HS256' | 'HS384' | 'HS512' | 'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA'

/** One secret both signs and verifies. */
export const isSymmetric = (algorithm: SigningAlgorithm): boolean => algorithm.startsWith('HS')
