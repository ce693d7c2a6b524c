import type { Clock } from '../../../../core/platform/clock.ts'
import type { SecretBox } from '../../../../core/platform/crypto/secret-box.ts'

/** The query of a link that lets anyone download an artifact for some time. */
export interface LinkProof {
  readonly sig: string
  /** Epoch seconds. */
  readonly expires: number
}

interface LinkedArtifact {
  /** Of the repository, as in the address. */
  readonly fullName: string
  readonly id: number
}

const CONTEXT = 'action_artifact.download'
const VALID_SECONDS = 3600

export type DownloadLinks = ReturnType<typeof createDownloadLinks>

/** Addresses of artifacts that need no credentials: only this server can make one. */
export function createDownloadLinks({ secrets, clock }: { secrets: SecretBox; clock: Clock }) {
  const now = (): number => Math.floor(clock.now() / 1000)
  const textOf = ({ fullName, id }: LinkedArtifact, expires: number): string =>
    `${expires} ${id} ${fullName.toLowerCase()}`
  return {
    make(artifact: LinkedArtifact): LinkProof {
      const expires = now() + VALID_SECONDS
      return { sig: secrets.seal(textOf(artifact, expires), CONTEXT), expires }
    },
    /** Whether this server made the link for this address and its time has not ended. */
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
