import { invalid } from '../../platform/errors.ts'
import { parseSshPublicKey, SshKeyError, type SshPublicKey } from '../../platform/ssh-key.ts'

/** Which SSH keys the server takes. */
export interface KeyRules {
  /** 0: every size. */
  readonly minRsaBits: number
}

/** A key for a user or a repository; throws invalid with the contract's texts (behaviour/users-and-admin#ssh-keys). */
export function readSshKey(text: string, rules: KeyRules): SshPublicKey {
  const key = parse(text)
  if (key.algorithm === 'ssh-rsa' && key.bits < rules.minRsaBits)
    throw invalid(`Invalid key content: key length is not enough: got ${key.bits}, needs ${rules.minRsaBits}`)
  return key
}

function parse(text: string): SshPublicKey {
  try {
    return parseSshPublicKey(text)
  } catch (error) {
    if (!(error instanceof SshKeyError)) throw error
    throw invalid(
      error.kind === 'unknown-algorithm' ? 'Unable to verify key content' : `Invalid key content: ${error.message}`,
    )
  }
}
