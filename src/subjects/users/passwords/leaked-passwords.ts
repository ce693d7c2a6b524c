import { createHash } from 'node:crypto'
import type { Logger } from '../../../platform/logger.ts'
import { isOutgoingError, type OutgoingClient } from '../../../platform/outgoing/index.ts'

/** Asks a service whether a password is on lists of stolen ones. */
export interface LeakedPasswords {
  /** Also false when the service does not answer: the failure of another server keeps no user from a new password. */
  has(password: string): Promise<boolean>
}

export interface LeakedPasswordsDeps {
  readonly client: OutgoingClient
  /** Where the first five characters of a hash are put at the end. */
  readonly url: string
  readonly log: Logger
}

const PREFIX = 5
const TIMEOUT_MS = 5_000

/**
 * Have I Been Pwned, Pwned Passwords by range (its API v3): the service hears the first five characters of the SHA-1 of
 * the password, answers with the rest of all hashes that begin so, and its answer is padded so that its length says
 * nothing.
 */
export function createLeakedPasswords({ client, url, log }: LeakedPasswordsDeps): LeakedPasswords {
  return {
    async has(password) {
      const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
      const known = await ask(hash.slice(0, PREFIX))
      return known?.some((line) => isLineOf(line, hash.slice(PREFIX))) ?? false
    },
  }

  async function ask(prefix: string): Promise<string[] | undefined> {
    try {
      const { status, body } = await client.request(url + prefix, {
        headers: { 'add-padding': 'true' },
        timeout: TIMEOUT_MS,
      })
      if (status === 200) return body.toString('latin1').split(/\r?\n/)
      log.warn({ status }, 'a new password is not checked against stolen ones: the service refuses')
    } catch (error) {
      if (!isOutgoingError(error)) throw error
      log.warn(
        { reason: error.message },
        'a new password is not checked against stolen ones: the service cannot be reached',
      )
    }
    return undefined
  }
}

/** `REST:COUNT`; padding counts 0. */
function isLineOf(line: string, rest: string): boolean {
  const [found = '', count = '0'] = line.split(':')
  return found.toUpperCase() === rest && Number(count) > 0
}
