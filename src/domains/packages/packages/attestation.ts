import type { Hook } from '../../../core/platform/hook.ts'
import type { PackageVersion } from './package.store.ts'

/**
 * A signature, a bill of materials or a statement about a version, as its publisher sent it: nothing verifies it here.
 */
export interface Attestation {
  /** The kind in the terms of the format: a predicate type, an artifact type. */
  readonly type: string
  /** Name of the file, or digest of the manifest. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Its claims by the name of the field. */
  readonly claims: Readonly<Record<string, string>>
}

/** Formats with attestations register how they are found. */
export type PackageAttestations = Hook<[version: PackageVersion], readonly Attestation[]>
