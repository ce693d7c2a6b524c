import type { Clock } from '../../../../core/platform/clock.ts'
import type { SecretBox } from '../../../../core/platform/crypto/secret-box.ts'

/** The query of a link with which anyone can download an artifact for a limited time. */
export interface LinkProof {
  readonly sig: string
  /** Epoch seconds. */
  readonly expires: number
}

interface LinkedArtifact {
  /** The full name of the repository in the address. */
  readonly fullName: string
  readonly id: number
}

const CONTEXT = 'action_artifact.download'
const VALID_SECONDS = 3600

export type DownloadLinks = ReturnType<typeof createDownloadLinks>

/** Addresses of artifacts that require no credentials; only this server can create them. */
export function createDownloadLinks({ secrets, clock }: { secrets: SecretBox; clock: Clock }) {
  const now = (): number => Math.floor(clock.now() / 1000)
  const textOf = ({ fullName, id }: LinkedArtifact, expires: number): string =>
    `${expires} ${id} ${fullName.toLowerCase()}`
  return {
    make(artifact: LinkedArtifact): LinkProof {
      const expires = now() + VALID_SECONDS
      return { sig: secrets.seal(textOf(artifact, expires), CONTEXT), expires }
    },
    /** Whether this server created the link for this address and the link has not expired. */
    isValid(artifact: LinkedArtifact, { sig, expires }: LinkProof): boolean {
      if (expires <= now()) return false
      try {
        return secrets.open(sig, CONTEXT) === textOf(artifact, expires)
      } catch {
        return false
      }
    },
  }
}
