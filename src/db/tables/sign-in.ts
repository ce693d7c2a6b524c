/** A browser that is signed in to the pages; the API never looks here. */
export interface WebSessionTable {
  /** SHA-256 in hex of the value of the cookie, 256 random bits. */
  token_hash: string
  user_id: number
  created_at: number
  expires_at: number
}

/** Made once for the whole installation. */
export interface SigningKeyTable {
  purpose: string
  key_id: string
  /** PKCS #8, encrypted. */
  private_key: string
  /** JSON Web Key. */
  public_key: string
  created_at: number
}
