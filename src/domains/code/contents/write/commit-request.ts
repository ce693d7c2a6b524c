import type { Identity } from '../../../../core/git/index.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { isZeroTime, parseOptionalTimestamp } from '../../../../core/platform/timestamp.ts'
import { type User, commitIdentity } from '../../../accounts/index.ts'
import type { FileOperation } from './file-operations.ts'

interface PersonInput {
  readonly name?: string | undefined
  readonly email?: string | undefined
}

/** The identities and times of a request; times in RFC 3339. */
interface SignatureInput {
  readonly author?: PersonInput | undefined
  readonly committer?: PersonInput | undefined
  readonly authorDate?: string | undefined
  readonly committerDate?: string | undefined
}

export interface FileChange extends SignatureInput {
  readonly operations: readonly FileOperation[]
  /** A diff that is applied in place of operations. */
  readonly patch?: Buffer | undefined
  /** The branch to start from; the default branch where absent. */
  readonly branch?: string | undefined
  /** The branch to commit to; `branch` where absent. */
  readonly newBranch?: string | undefined
  readonly message?: string | undefined
  readonly signoff?: boolean | undefined
  /** Allows that the new branch exists already. */
  readonly force?: boolean | undefined
}

export interface Signatures {
  readonly author: Identity
  readonly committer: Identity
}

/**
 * Absent parts are taken from the other identity, then from the caller. Absent dates are the current time
 * (behaviour/git-data-and-transport#writing-contents).
 */
export function signaturesFor(input: SignatureInput, caller: User, noReplyDomain: string, nowMs: number): Signatures {
  const own = commitIdentity(caller, noReplyDomain)
  const person = (
    first: PersonInput | undefined,
    second: PersonInput | undefined,
  ): { name: string; email: string } => ({
    name: first?.name || second?.name || own.name,
    email: first?.email || second?.email || own.email,
  })
  return {
    author: { ...person(input.author, input.committer), ...timeOf(input.authorDate, nowMs) },
    committer: { ...person(input.committer, input.author), ...timeOf(input.committerDate, nowMs) },
  }
}

/** Keeps the offset from UTC that the client sent. Throws Invalid for a time that git cannot store. */
function timeOf(text: string | undefined, nowMs: number): { time: number; offset: number } {
  const given = parseOptionalTimestamp(text)
  if (!text || given === undefined || isZeroTime(given)) return { time: Math.floor(nowMs / 1000), offset: 0 }
  if (given < 0) throw invalid(`[Dates]: a commit has no date before 1970: ${text}`)
  const zone = /([+-])(\d{2}):(\d{2})$/.exec(text)
  const minutes = zone ? Number(zone[2]) * 60 + Number(zone[3]) : 0
  return { time: Math.floor(given / 1000), offset: zone?.[1] === '-' && minutes !== 0 ? -minutes : minutes }
}

/** The message as stored: trimmed, with a newline at the end. A sign-off is the last line, without a newline. */
export function messageFor(message: string | undefined, fallback: string, signoff: Identity | undefined): string {
  const text = message?.trim() || fallback
  return signoff === undefined ? `${text}\n` : `${text}\n\nSigned-off-by: ${signoff.name} <${signoff.email}>`
}
