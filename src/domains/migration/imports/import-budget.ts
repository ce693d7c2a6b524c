import { RemoteError } from '../../../core/git/index.ts'
import type { OutgoingClient } from '../../../core/platform/outgoing/index.ts'

/** How many bytes an import may still download. */
export interface ImportBudget {
  /** Infinity for no limit. */
  remainingBytes(): number
  /** Throws RemoteError if the limit is exceeded. */
  countBytes(bytes: number): void
}

export function createBudget(maxBytes: number): ImportBudget {
  let left = maxBytes
  return {
    remainingBytes: () => left,
    countBytes(bytes) {
      left -= bytes
      if (left < 0)
        throw new RemoteError('failed', 'the repository with its files and issues is larger than this server takes')
    },
  }
}

/** A client whose whole answers, those of APIs, count. What it streams is counted by the phases. */
export const countingClient = (client: OutgoingClient, { countBytes }: ImportBudget): OutgoingClient => ({
  ...client,
  async request(url, options) {
    const answer = await client.request(url, options)
    countBytes(answer.body.length)
    return answer
  },
})
