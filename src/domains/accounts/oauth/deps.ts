import type { Core } from '../../../core/module.ts'
import type { User } from '../users/user.store.ts'
import type { SigningAlgorithm } from './signing-keys/signing-key.ts'
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

export interface ProviderDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'secrets'> {
  readonly settings: ProviderSettings
  rootUrl(): string
  /** What tokens and discovery call this server. */
  issuer(): string
  avatarUrl(user: User): string
}

export interface ProviderParts extends ProviderDeps {
  readonly signer: TokenSigner
}
