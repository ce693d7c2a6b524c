export interface Signer {
  readonly name: string
  readonly email: string
  readonly username: string
}

/** The result of verifying a signature (behaviour/git-data-and-transport#signature-verification). */
export interface Verification {
  readonly verified: boolean
  readonly reason: string
  readonly signature: string
  readonly payload: string
  readonly signer: Signer | undefined
}

export type Failure = 'extract_sign' | 'no_gpg_keys_found' | 'probable_bad_default_signature' | 'probable_bad_signature'

export const UNSIGNED: Verification = {
  verified: false,
  reason: 'gpg.error.not_signed_commit',
  signature: '',
  payload: '',
  signer: undefined,
}
