import type { DoctorCheck, Finding } from '../../../core/module.ts'
import { daysLeft, listFaults } from '../../../core/http/tls/certificate.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import type { AcmeStore } from './acme-store.ts'
import { readCertificate } from './certificate-keeper.ts'
import type { CertificatePaths } from './tls-settings.ts'

interface Checked {
  readonly paths: CertificatePaths
  /** The store, if an ACME server issues the certificate. */
  readonly store: AcmeStore | undefined
  readonly clock: Clock
  /** The host of the configured root URL. */
  readonly host: string | undefined
}

/** Reports whether clients accept the certificate, and until when. */
export const certificateCheck = ({ paths, store, clock, host }: Checked): DoctorCheck => ({
  name: 'certificate',
  async *run() {
    const problem = (what: string): Finding => ({ what, state: 'problem' })
    const state = await store?.readState()
    if (state !== undefined && state.failures > 0) yield problem(`the ACME server issued none: ${state.reason}`)
    try {
      const certificate = await readCertificate(paths)
      const now = clock.now()
      yield* listFaults(certificate, { host, now }).map(problem)
      if (certificate.notAfter > now)
        yield {
          what: `for ${certificate.names.join(', ')}: valid for another ${daysLeft(certificate, now)} days`,
          state: 'note',
        }
    } catch (error) {
      yield problem((error as Error).message)
    }
  },
})
