import type { RemoteCredentials } from '../../../core/git/index.ts'
import type { OutgoingClient } from '../../../core/platform/outgoing/index.ts'
import type { WaitLimits } from './forge-waits.ts'
import type { Source } from './source.ts'

/** Location of a repository at another service, with credentials. */
export interface SourceLocation {
  /** The address of its git data, without credentials. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /** An access token; empty without one. */
  readonly token: string
  /** Keys of AWS CodeCommit. */
  readonly awsKeys?: AwsKeys | undefined
  /** Whether issues are imported: a service that counts pull requests apart numbers them after the issues. */
  readonly withIssues: boolean
  /** Whether confidential issues are imported: only into a private repository. */
  readonly withConfidential: boolean
  /** Time at which the import began, even if it has been interrupted since. Issues that are newer may be omitted. */
  readonly startedAt: number
  /** Numbers of the only issues and pull requests that are read; undefined for all. */
  readonly only?: ReadonlySet<number> | undefined
  /** Records an omission. */
  warn(text: string): void
}

export interface SourceDeps {
  readonly client: OutgoingClient
  /** The timeout of one file, in milliseconds. */
  readonly timeout: number
  readonly patience: WaitLimits
  /** Addresses of APIs that are at one address for everybody; only tests have others. */
  readonly apis?: ApiAddresses | undefined
}

export interface ApiAddresses {
  readonly codebase?: string
  readonly codecommit?: string
}

export interface AwsKeys {
  readonly id: string
  readonly secret: string
}

export type OpenSource = (deps: SourceDeps, location: SourceLocation) => Source
