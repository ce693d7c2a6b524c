import { readFile, stat } from 'node:fs/promises'
import type { Clock } from '../../../core/platform/clock.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { invalid } from '../../../core/platform/errors.ts'
import {
  type Certificate,
  daysLeft,
  type KeyPair,
  listFaults,
  parseCertificate,
} from '../../../core/http/tls/certificate.ts'
import type { CertificateSource } from '../../../core/http/tls/secure-server.ts'
import type { CertificatePaths } from './tls-settings.ts'

interface KeeperDeps {
  readonly paths: CertificatePaths
  readonly clock: Clock
  readonly log: Logger
  /** The host of the configured root URL. */
  readonly host: string | undefined
  challenge(name: string): KeyPair | undefined
}

/** Throws Invalid, which names the files, when they cannot be read or used. */
export async function readCertificate({ cert, key }: CertificatePaths): Promise<Certificate> {
  try {
    return parseCertificate({ cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') })
  } catch (error) {
    throw invalid(`the certificate of ${[...new Set([cert, key])].join(' and ')}: ${(error as Error).message}`)
  }
}

/** Changes with the files, also where a symbolic link on the way is replaced. */
async function stampOf({ cert, key }: CertificatePaths): Promise<string> {
  const stamps = [cert, key].map((path) =>
    stat(path, { bigint: true }).then(
      ({ mtimeNs, ino, size }) => `${mtimeNs} ${ino} ${size}`,
      ({ code }: NodeJS.ErrnoException) => String(code),
    ),
  )
  return (await Promise.all(stamps)).join(', ')
}

/**
 * The certificate in two files, followed while the server runs. A pair that cannot be used changes nothing, nor does
 * one that has expired while the other one has not.
 */
export class CertificateKeeper implements CertificateSource {
  readonly #deps: KeeperDeps
  readonly #listeners: ((certificate: Certificate) => void)[] = []
  readonly challenge: KeeperDeps['challenge']
  #current: Certificate
  #stamp: string
  /** Files that could not be used at the last check: one of them may not have been written yet. */
  #suspect: string | undefined
  #checking: Promise<void> | undefined
  /** Faults of the current certificate that are in the log. */
  #warned = ''

  private constructor(deps: KeeperDeps, first: Certificate, stamp: string) {
    this.#deps = deps
    this.#current = first
    this.#stamp = stamp
    this.challenge = deps.challenge
    this.#warn()
  }

  /** Begins with `first` where the files need not exist yet. Otherwise throws as readCertificate. */
  static async open(deps: KeeperDeps, first?: Certificate): Promise<CertificateKeeper> {
    const stamp = await stampOf(deps.paths)
    return new CertificateKeeper(deps, first ?? (await readCertificate(deps.paths)), stamp)
  }

  current(): Certificate {
    return this.#current
  }

  onChange(listener: (certificate: Certificate) => void): void {
    this.#listeners.push(listener)
  }

  /** Loads the present content of the files. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
    return this.#checking
  }

  async #check(): Promise<void> {
    const { paths, clock, log } = this.#deps
    const stamp = await stampOf(paths)
    if (stamp === this.#stamp) return this.#warn()
    let next: Certificate
    try {
      next = await readCertificate(paths)
      if (next.notAfter <= clock.now() && this.#current.notAfter > clock.now())
        throw invalid(`it expired at ${new Date(next.notAfter).toISOString()}`)
    } catch (error) {
      if (this.#suspect === stamp) {
        log.error({ err: error }, 'the new certificate cannot be used; the server goes on with the old one')
        this.#stamp = stamp
      }
      this.#suspect = stamp
      return
    }
    this.#stamp = stamp
    this.#current = next
    this.#warned = ''
    for (const listener of this.#listeners) listener(next)
    log.info({ names: next.names, daysLeft: daysLeft(next, clock.now()) }, 'the server has a new certificate')
    this.#warn()
  }

  #warn(): void {
    const { clock, log, host } = this.#deps
    const faults = listFaults(this.#current, { host, now: clock.now() })
    if (faults.join() === this.#warned) return
    this.#warned = faults.join()
    for (const fault of faults) log.warn(`${fault}; clients refuse it`)
  }
}
