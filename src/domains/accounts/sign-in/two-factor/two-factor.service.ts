import type { Core } from '../../../../core/module.ts'
import { randomBytes } from 'node:crypto'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { SealedColumns } from '../../../../core/db/sealed-columns.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { Announcer } from '../../../../core/platform/concurrency/processes.ts'
import { base32, randomBase32, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { invalidField, notFound, unavailable } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { boundedCache } from '../../../../core/platform/lru.ts'
import type { SecretBox } from '../../../../core/platform/crypto/secret-box.ts'
import { findTotpStep } from '../../../../core/platform/crypto/totp.ts'
import { hasPasskeys } from '../passkeys/passkey.store.ts'
import {
  countRecoveryCodes,
  deleteRecoveryCodes,
  deleteTwoFactor,
  findTwoFactor,
  replaceRecoveryCodes,
  replaceTwoFactor,
  useRecoveryCode,
  useStep,
} from './two-factor.store.ts'

interface TwoFactorStatus {
  readonly isEnabled: boolean
  /** A secret was generated but no code has confirmed it. */
  readonly isPending: boolean
  readonly recoveryCodesLeft: number
}

interface Enrolment {
  /** Base32, for manual entry. */
  readonly secret: string
  /** `otpauth://totp/...`, for a QR code. */
  readonly url: string
}

/** The kind of a valid code. */
export type CodeKind = 'one-time-code' | 'recovery-code'

/**
 * One-time codes in addition to the password (RFC 6238), and recovery codes, which accounts with passkeys have too.
 * Each code works once.
 */
export interface TwoFactorAuth {
  status(userId: UserId): Promise<TwoFactorStatus>
  isEnabled(userId: UserId): Promise<boolean>
  /** Generates a secret; codes are not required before `confirm`. Throws conflict when they are already required. */
  begin(user: { readonly id: UserId; readonly name: string }): Promise<Enrolment>
  /**
   * Enables codes with the first one and returns the recovery codes. Throws NotFound without `begin`, invalid,
   * conflict, too-many-requests.
   */
  confirm(actor: Actor, userId: UserId, code: string): Promise<string[]>
  countRecoveryCodes(userId: UserId): Promise<number>
  /** Replaces all recovery codes. Throws NotFound for an account with neither one-time codes nor passkeys. */
  renewRecoveryCodes(actor: Actor, userId: UserId): Promise<string[]>
  /** Deletes the recovery codes too, unless the account has passkeys. Throws NotFound when codes are disabled. */
  disable(actor: Actor, userId: UserId): Promise<void>
  /**
   * Consumes a code or a recovery code; undefined when it is wrong or was already used. Throws too-many-requests after
   * many wrong codes.
   */
  check(userId: UserId, code: string): Promise<CodeKind | undefined>
}

export interface TwoFactorDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'secrets'> {
  /** The issuer that authenticator apps display with the account. */
  issuer(): string
  /** The permitted number of wrong codes of one account in 15 minutes. */
  readonly attempts: number
  /** Announces wrong codes to the other processes, which count them, too. */
  readonly processes: Announcer
}

type TwoFactorEvent = 'user.two_factor_disabled' | 'user.two_factor_enabled' | 'user.recovery_codes_renewed'

const SECRET_BYTES = 20
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10
const ATTEMPT = 'one-time code'
const SUCCESS = 'right one-time code'
const WINDOW_MS = 15 * 60_000
const contextOf = (userId: UserId): string => `two_factor.secret:${userId}`

export const sealedTwoFactorColumns: SealedColumns = {
  table: 'two_factor',
  key: 'user_id',
  contexts: { secret: ({ user_id: userId }) => contextOf(asId(Number(userId))) },
}

export function createTwoFactor(deps: TwoFactorDeps): TwoFactorAuth {
  const { database, clock, secrets } = deps
  const { read } = database
  const failures = createFailures(clock, deps.attempts, deps.processes)
  const requireEnabled = async (userId: UserId): Promise<void> => {
    if (!(await findTwoFactor(read, userId))?.isConfirmed) throw errors.twoFactorNotEnabled()
  }
  const useCode = async (userId: UserId, sealed: string, code: string): Promise<boolean> => {
    const step = findTotpStep(openSecret(secrets, userId, sealed), code, clock.now())
    return step !== undefined && database.transaction((tx) => useStep(tx, userId, { secret: sealed, step }))
  }
  const useConfirmed = async (userId: UserId, code: string): Promise<boolean> => {
    const found = await findTwoFactor(read, userId)
    return found?.isConfirmed === true && useCode(userId, found.secret, code)
  }

  const { append, replaceCodes } = createChanges(deps)

  return {
    async status(userId) {
      const found = await findTwoFactor(read, userId)
      const isEnabled = found?.isConfirmed ?? false
      return {
        isEnabled,
        isPending: found !== undefined && !isEnabled,
        recoveryCodesLeft: await countRecoveryCodes(read, userId),
      }
    },

    isEnabled: async (userId) => (await findTwoFactor(read, userId))?.isConfirmed ?? false,

    async begin({ id, name }) {
      const bytes = randomBytes(SECRET_BYTES)
      await database.transaction(async (tx) => {
        if ((await findTwoFactor(tx, id))?.isConfirmed) throw errors.twoFactorEnabled()
        await replaceTwoFactor(tx, id, {
          secret: secrets.seal(bytes.toString('hex'), contextOf(id)),
          created_at: clock.now(),
        })
      })
      const secret = base32(bytes).toUpperCase()
      const issuer = deps.issuer()
      const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(name)}`
      return {
        secret,
        url: `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`,
      }
    },

    async confirm(actor, userId, code) {
      const found = await findTwoFactor(read, userId)
      if (found === undefined) throw notFound('two-factor authentication was not begun')
      if (found.isConfirmed) throw errors.twoFactorEnabled()
      failures.attempt(userId)
      if (!(await useCode(userId, found.secret, code.trim()))) throw invalidField('Code', 'wrong code')
      failures.forget(userId)
      return replaceCodes('user.two_factor_enabled', actor, userId)
    },

    countRecoveryCodes: (userId) => countRecoveryCodes(read, userId),

    async renewRecoveryCodes(actor, userId) {
      if (!(await hasPasskeys(read, userId))) await requireEnabled(userId)
      return replaceCodes('user.recovery_codes_renewed', actor, userId)
    },

    async disable(actor, userId) {
      await requireEnabled(userId)
      await database.transaction(async (tx) => {
        await deleteTwoFactor(tx, userId)
        if (!(await hasPasskeys(tx, userId))) await deleteRecoveryCodes(tx, userId)
        await append(tx, 'user.two_factor_disabled', actor, userId)
      })
    },

    async check(userId, given) {
      const code = given.replaceAll(/\s/g, '').toLowerCase()
      const kind = RECOVERY_CODE.test(code) ? 'recovery-code' : 'one-time-code'
      failures.attempt(userId)
      const isRight =
        kind === 'recovery-code'
          ? await database.transaction((tx) => useRecoveryCode(tx, userId, recoveryHash(code)))
          : await useConfirmed(userId, code)
      if (!isRight) return undefined
      failures.forget(userId)
      return kind
    },
  }
}

const RECOVERY_CODE = /^[a-z2-7]{8}-?[a-z2-7]{8}$/
const recoveryHash = (code: string): string => sha256Hex(code.replace('-', ''))

/** Throws unavailable when the secret was encrypted with another key of the server. */
function openSecret(secrets: SecretBox, userId: UserId, sealed: string): Buffer {
  try {
    return Buffer.from(secrets.open(sealed, contextOf(userId)), 'hex')
  } catch {
    throw unavailable(
      'one-time codes cannot be checked: the secret key of the server is not the one they were enrolled with',
    )
  }
}

interface Changes {
  append(tx: Tx, kind: TwoFactorEvent, actor: Actor, userId: UserId): Promise<void>
  /** Replaces all recovery codes and appends the event; returns the new codes. */
  replaceCodes(kind: TwoFactorEvent, actor: Actor, userId: UserId): Promise<string[]>
}

function createChanges({ database, clock, events }: TwoFactorDeps): Changes {
  const append: Changes['append'] = (tx, kind, actor, userId) =>
    events.append(tx, kind, { actor, repoId: 0, at: clock.now() }, { user_id: userId })
  return {
    append,
    async replaceCodes(kind, actor, userId) {
      const codes = Array.from({ length: RECOVERY_CODES }, () => randomBase32(RECOVERY_BYTES))
      await database.transaction(async (tx) => {
        await replaceRecoveryCodes(tx, userId, codes.map(recoveryHash))
        await append(tx, kind, actor, userId)
      })
      return codes.map((code) => `${code.slice(0, 8)}-${code.slice(8)}`)
    },
  }
}

interface Failures {
  /** Counts an attempt before the code is checked, so that concurrent guesses count, too. Throws after too many. */
  attempt(userId: UserId): void
  forget(userId: UserId): void
}

/**
 * NOTE: an attacker who guesses codes already has the password and may use many addresses, so wrong codes count for the
 * account. After too many, even the right code is refused until the 15 minutes have passed.
 */
function createFailures(clock: Clock, maxFailures: number, processes: Announcer): Failures {
  const failures = boundedCache<UserId, { count: number; readonly since: number }>(50_000)
  const current = (userId: UserId): { count: number; readonly since: number } => {
    const entry = failures.get(userId)
    return entry === undefined || clock.now() - entry.since > WINDOW_MS ? { count: 0, since: clock.now() } : entry
  }
  const count = (userId: UserId): void => {
    const entry = current(userId)
    failures.set(userId, { ...entry, count: entry.count + 1 })
  }
  processes.onAnnounced(ATTEMPT, (detail) => count(asId(Number(detail))))
  processes.onAnnounced(SUCCESS, (detail) => failures.delete(asId(Number(detail))))
  return {
    attempt(userId) {
      const entry = current(userId)
      if (entry.count >= maxFailures) throw errors.tooManyWrongCodes()
      count(userId)
      processes.announce(ATTEMPT, String(userId))
    },
    forget(userId) {
      failures.delete(userId)
      processes.announce(SUCCESS, String(userId))
    },
  }
}
