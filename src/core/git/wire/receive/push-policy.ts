import type { GitRepo } from '../../repo.ts'
import type { RefCommand } from './receive-request.ts'

export interface RefMove {
  readonly ref: string
  readonly oldOid: string
  readonly newOid: string
}

/** A push whose objects are in quarantine, complete and checked, before any ref moves. */
export interface IncomingPush {
  readonly repo: GitRepo
  /** At least one; names are valid and not reserved, each ref once. */
  readonly commands: readonly RefCommand[]
  readonly pushOptions: readonly string[]
  /** All or nothing. */
  readonly atomic: boolean
  /** Environment beside GIT_DIR under which git processes see the new objects. Empty when the push brought none. */
  readonly env: Readonly<Record<string, string>>
  /** Objects in the pack. */
  readonly objects: number
  /** True when an update loses commits. Costs one process, once per command. */
  isForced(command: RefCommand): Promise<boolean>
}

export type RefVerdict =
  | {
      readonly ok: true
      /** Refs that move in place of the one pushed to (`refs/for/*`). */
      readonly instead?: readonly RefMove[]
    }
  | { readonly ok: false; readonly reason: string }

export interface PushDecision {
  /** One for each command, in order. */
  readonly verdicts: readonly RefVerdict[]
  /** Lines shown to the client as `remote:`. */
  readonly messages?: readonly string[]
}

/** The outcome of one command: the refs that moved, or the reason why none did. */
export interface PushResult {
  readonly command: RefCommand
  readonly moves: readonly RefMove[]
  readonly error: string | undefined
}

/**
 * The server's own rules for pushes, called where git runs its hooks; the wire checks only the rules of the protocol.
 */
export interface PushPolicy {
  /** Decides about every ref before one moves. When it throws, the whole push is refused without a reason. */
  preReceive(push: IncomingPush): Promise<PushDecision>
  /**
   * Runs after at least one ref has moved and before the report to the client; returns lines for its `remote:` output.
   * An error is logged and does not undo the push.
   */
  postReceive?(results: readonly PushResult[], push: IncomingPush): Promise<readonly string[]>
}
