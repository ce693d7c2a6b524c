import { type Certificate, parseCertificate } from '../../../core/http/tls/certificate.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import type { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { AcmeStore, OrderState } from './acme-store.ts'
import { readCertificate } from './certificate-keeper.ts'
import { type ChallengeType, orderCertificate } from './order-certificate.ts'
import type { AcmeSettings } from './tls-settings.ts'

export interface RenewalDeps {
  readonly settings: AcmeSettings
  /** Types of challenges that the server can answer; after a failure the next one is tried. */
  readonly challenges: readonly ChallengeType[]
  readonly store: AcmeStore
  readonly clock: Clock
  readonly log: Logger
  /** Locks shared by all processes: one orders at a time. */
  readonly locks: KeyedMutex
  /** There is a new certificate. */
  issued(): Promise<void>
}

const MINUTE_MS = 60_000
/** Let's Encrypt allows five failures an hour for each name. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [10 * MINUTE_MS, 360 * MINUTE_MS]
/** However long the ACME server says that it refuses orders. */
const LONGEST_REFUSAL_MS = 7 * 24 * 60 * MINUTE_MS
const LIFETIME_BEFORE_RENEWAL = 2 / 3

export type Renewals = ReturnType<typeof createRenewals>

export function createRenewals(deps: RenewalDeps) {
  const { settings, challenges, store, clock, log, locks } = deps
  const wanted = `${settings.directory} ${settings.names.join(' ')}`

  async function order(state: OrderState, reason: string, signal: AbortSignal): Promise<void> {
    const failures = state.attempted === wanted ? state.failures : 0
    const challenge = challenges[failures % challenges.length]!
    const { names, directory } = settings
    log.info({ names, directory, challenge }, `ordering a certificate: ${reason}`)
    let refusedFor = 0
    const refused = (ms: number): void => void (refusedFor = Math.min(ms, LONGEST_REFUSAL_MS))
    try {
      const pair = await orderCertificate({ settings, challenge, store, clock, signal, refused })
      parseCertificate(pair)
      await store.writeCertificate(pair)
      await store.writeState({ issuedBy: directory })
      await deps.issued()
    } catch (error) {
      if (signal.aborted) throw error
      const pause = Math.max(refusedFor, Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS))
      const nextAttemptAt = clock.now() + pause
      const { message, code } = error as NodeJS.ErrnoException
      const reason = `${challenge}: ${message || code}`
      await store.writeState({ ...state, failures: failures + 1, nextAttemptAt, attempted: wanted, reason })
      log.error(
        { reason, names, failures: failures + 1, minutes: Math.ceil(pause / MINUTE_MS) },
        'the ACME server issued no certificate; the server goes on with what it has and tries again later. The names ' +
          `must lead to this server, with port 80 or 443. Delete ${store.stateFile} to try at once (docs/operate/https.md)`,
      )
    }
  }

  return {
    /** Orders a certificate where it is time for one. What fails is logged and tried again by a later call. */
    renew: (signal: AbortSignal): Promise<void> =>
      locks.run('certificate', async () => {
        const state = await store.readState()
        const current = await readCertificate(store.paths).catch(() => undefined)
        const reason = reasonToOrder(current, { ...settings, issuedBy: state.issuedBy, now: clock.now() })
        if (reason === undefined) return
        if (state.attempted === wanted && clock.now() < state.nextAttemptAt) return
        await order(state, reason, signal)
      }),
  }
}

interface Wanted {
  readonly names: readonly string[]
  readonly directory: string
  readonly issuedBy: string | undefined
  readonly now: number
}

function renewAt({ notBefore, notAfter }: Certificate): number {
  return notBefore + (notAfter - notBefore) * LIFETIME_BEFORE_RENEWAL
}

function reasonToOrder(
  current: Certificate | undefined,
  { names, directory, issuedBy, now }: Wanted,
): string | undefined {
  if (current === undefined) return 'there is none'
  if (issuedBy !== directory) return 'the old one is not from this ACME server'
  const missing = names.filter((name) => !current.covers(name))
  if (missing.length > 0) return `the old one is not for ${missing.join(', ')}`
  return now < renewAt(current) ? undefined : 'two thirds of the lifetime of the old one are over'
}
