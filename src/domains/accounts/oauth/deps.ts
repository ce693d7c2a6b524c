import type { Core } from '../../../core/module.ts'
import type { User } from '../users/user.store.ts'
import type { SigningAlgorithm } from './signing-keys/signing-key.ts'
import type { TokenSigner } from './tokens.ts'

export interface ProviderSettings {
  /** Seconds. */
  readonly accessLifetime: number
  /** Seconds. */
  readonly refreshLifetime: number
  /** Each refresh token works only once. */
  readonly rotate: boolean
  readonly signingAlgorithm: SigningAlgorithm
  /** Maximum length of an accepted token, in characters. */
  readonly maxTokenLength: number
  /** Names of the enabled built-in applications. */
  readonly builtIn: readonly string[]
}

export interface ProviderDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'secrets'> {
  readonly settings: ProviderSettings
  rootUrl(): string
  /** The issuer in tokens and in the discovery document. */
  issuer(): string
  avatarUrl(user: User): string
}

export interface ProviderParts extends ProviderDeps {
  readonly signer: TokenSigner
}
