import { invalid } from '../../../core/platform/errors.ts'
import { parseSshPublicKey, SshKeyError, type SshPublicKey } from '../../../core/platform/ssh/key.ts'

/** The rules for SSH keys that the server accepts. */
export interface KeyRules {
  /** 0: any size. */
  readonly minRsaBits: number
}

/**
 * Parses a key of a user or repository. Throws Invalid with the messages of the API
 * (behaviour/users-and-admin#ssh-keys).
 */
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
