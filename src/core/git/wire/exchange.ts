import type { Readable, Writable } from 'node:stream'
import type { GitRepo } from '../repo.ts'
import type { PushPolicy } from './receive/push-policy.ts'

/** The address of a bundle; undefined when there is none at the moment. */
export type BundleUrl = () => Promise<string | undefined>

/** One exchange with one client. `input` is inflated by the caller; `output` is ended by the caller. */
export interface Exchange {
  readonly repo: GitRepo
  readonly input: Readable
  readonly output: Writable
  /** The `Git-Protocol` header or `GIT_PROTOCOL` variable as the client sent it. */
  readonly protocol: string | undefined
  /** Where a bundle of the repository is, called when a client of protocol v2 requests it; absent: there is none. */
  readonly bundleUrl?: BundleUrl
  /** Fires when the client has left. */
  readonly signal: AbortSignal
}

export interface ReceivePackOptions {
  readonly agent: string
  /** Refs that accept no push and are not advertised to pushers; prefixes that end with a slash. */
  readonly reservedRefs: readonly string[]
  readonly maxPushes: number
  readonly maxPushesPerRepo: number
  readonly idleMs: number
  readonly deadlineMs: number
  /** Called when something failed that the client must not see in detail. */
  readonly onError: (error: unknown) => void
}

export interface PushExchange extends Exchange {
  readonly policy: PushPolicy
  /** Bytes of the pack. */
  readonly maxPackBytes: number
}
