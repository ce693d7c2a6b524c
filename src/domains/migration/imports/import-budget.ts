import { RemoteError } from '../../../core/git/index.ts'

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
      if (left < 0) throw new RemoteError('failed', 'the repository with its files is larger than this server takes')
    },
  }
}
