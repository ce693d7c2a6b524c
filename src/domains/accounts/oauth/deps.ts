import type { Database } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import type { SecretBox } from '../../../core/platform/crypto/secret-box.ts'
import type { User } from '../users/user.store.ts'
import type { SigningAlgorithm } from './signing-keys/signing-algorithms.ts'
import type { TokenSigner } from './tokens.ts'

export interface ProviderSettings {
  /** Seconds. */
  readonly accessLifetime: number
  /** Seconds. */
  readonly refreshLifetime: number
  /** A refresh token works once. */
  readonly rotate: boolean
  readonly signingAlgorithm: SigningAlgorithm
  /** Maximum number of characters of a token that is read. */
  readonly maxTokenLength: number
  /** Names of the built-in applications that are on. */
  readonly builtIn: readonly string[]
}

export interface ProviderDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  readonly secrets: SecretBox
  readonly settings: ProviderSettings
  rootUrl(): string
  /** What tokens and discovery call this server. */
  issuer(): string
  avatarUrl(user: User): string
}

export interface ProviderParts extends ProviderDeps {
  readonly signer: TokenSigner
}
