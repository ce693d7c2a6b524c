import { createHash } from 'node:crypto'
import type { Logger } from '../../../../core/platform/logger.ts'
import { isOutgoingError, type OutgoingClient } from '../../../../core/platform/outgoing/index.ts'

interface LeakedPasswordsDeps {
  readonly client: OutgoingClient
  /** The URL to which the first five characters of the hash are appended. */
  readonly url: string
  readonly log: Logger
}

const PREFIX = 5
const TIMEOUT_MS = 5_000

/** Looks up passwords in a service of leaked passwords. */
export type LeakedPasswords = ReturnType<typeof createLeakedPasswords>

/**
 * The range search of Pwned Passwords (API v3 of Have I Been Pwned): the request contains the first five characters of
 * the SHA-1 of the password, the response the suffixes of all hashes with that prefix. Padding hides their number.
 */
export function createLeakedPasswords({ client, url, log }: LeakedPasswordsDeps) {
  return {
    /** Returns false when the service fails, so that users can still change passwords. */
    async has(password: string): Promise<boolean> {
      const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
      const suffixes = await request(hash.slice(0, PREFIX))
      return suffixes?.some((line) => isMatch(line, hash.slice(PREFIX))) ?? false
    },
  }

  async function request(prefix: string): Promise<string[] | undefined> {
    try {
      const { status, body } = await client.request(url + prefix, {
        headers: { 'add-padding': 'true' },
        timeout: TIMEOUT_MS,
      })
      if (status === 200) return body.toString('latin1').split(/\r?\n/)
      log.warn({ status }, 'cannot look up a new password: the service of leaked passwords refused the request')
    } catch (error) {
      if (!isOutgoingError(error)) throw error
      log.warn(
        { reason: error.message },
        'cannot look up a new password: the service of leaked passwords is unreachable',
      )
    }
    return undefined
  }
}

/** A line is `SUFFIX:COUNT`; padding has the count 0. */
function isMatch(line: string, suffix: string): boolean {
  const [found = '', count = '0'] = line.split(':')
  return found.toUpperCase() === suffix && Number(count) > 0
}
