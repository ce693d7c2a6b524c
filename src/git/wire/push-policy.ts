import type { GitRepo } from '../repo.ts'
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
      /** Refs that move in place of the one pushed to (`refs/for/*`). */ readonly instead?: readonly RefMove[]
    }
  | { readonly ok: false; readonly reason: string }

export interface PushDecision {
  /** One for each command, in order. */
  readonly verdicts: readonly RefVerdict[]
  /** Lines shown to the client as `remote:`. */
  readonly messages?: readonly string[]
}

/** What came of a push: every command with the moves that were made for it, or why there were none. */
export interface PushResult {
  readonly command: RefCommand
  readonly moves: readonly RefMove[]
  readonly error: string | undefined
}

/** The rules of whoever runs the server; the wire itself knows only the protocol's. */
export interface PushPolicy {
  /** Throwing refuses the whole push without a reason for the client. */
  decide(push: IncomingPush): Promise<PushDecision>
  /**
   * Called once refs have moved and before the client is told; gives lines to show. A failure does not undo the push.
   */
  moved?(results: readonly PushResult[], push: IncomingPush): Promise<readonly string[]>
}
