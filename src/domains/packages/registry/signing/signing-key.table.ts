import type { Generated } from 'kysely'

/** A key of the server that signs indexes of packages of an owner. */
export interface PackageSigningKeyTable {
  id: Generated<number>
  owner_id: number
  /** `openpgp` or `rsa`; one of each per owner. */
  kind: string
  /** Sealed: armored for OpenPGP, PKCS #8 in PEM for RSA. */
  private_key: string
  /** Armored for OpenPGP, PEM for RSA. */
  public_key: string
  /** Epoch milliseconds. */
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    package_signing_key: PackageSigningKeyTable
  }
}
