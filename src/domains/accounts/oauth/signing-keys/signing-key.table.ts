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

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    signing_key: SigningKeyTable
  }
}
