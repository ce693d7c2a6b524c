import { type Core, defineModule, type Listener, type ModuleParts } from '../../../core/module.ts'
import { type Certificate, parseCertificate } from '../../../core/http/tls/certificate.ts'
import type { CertificateSource } from '../../../core/http/tls/secure-server.ts'
import { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import { type AcmeStore, createAcmeStore } from './acme-store.ts'
import { CertificateKeeper, readCertificate } from './certificate-keeper.ts'
import type { ChallengeType } from './order-certificate.ts'
import { createRenewals } from './renewals.service.ts'
import { selfSigned } from './self-signed.ts'
import { certificateCheck } from './tls.checks.ts'
import { renewalJobs } from './tls.jobs.ts'
import { redirectListener, sendHsts } from './tls.routes.ts'
import { type AcmeSettings, tlsSettings } from './tls-settings.ts'

declare module '../../../core/module.ts' {
  interface Services {
    /** Undefined where the server does not speak HTTPS, and in commands. */
    readonly certificates: CertificateSource | undefined
  }
  interface Tuning {
    readonly tls: Partial<typeof LIMITS>
  }
}

const LIMITS = {
  /** Milliseconds between two checks of the files of the certificate. */
  checkEveryMs: 5000,
}
const CHANGED = 'certificate'

/** HTTPS: the certificate of the server, from files or by ACME, and the redirects of HTTP to it. */
export const module = defineModule({
  name: 'tls',
  needs: [],
  async create(core): Promise<ModuleParts> {
    const { config, dataDir, clock } = core
    const settings = tlsSettings(config)
    if (settings === undefined) return { services: { certificates: undefined } }
    const store = settings.acme && createAcmeStore(dataDir)
    const paths = store?.paths ?? settings.files!
    const checks = [certificateCheck({ paths, store, clock, host: settings.host })]
    if (!core.isServer) return { services: { certificates: undefined }, checks }
    store?.prepare()
    const first = settings.acme && (await certificateToBegin(core, store!, settings.acme))
    const challenge: CertificateSource['challenge'] = (name) => store?.readChallenge(name)
    const keeper = await CertificateKeeper.open({ paths, clock, log: core.log, host: settings.host, challenge }, first)
    const { httpPort, acme } = settings
    return {
      services: { certificates: keeper },
      checks,
      prepare: (http) => sendHsts(http, config.tls.hsts_max_age),
      listeners: httpPort === 0 ? [] : [redirects(core, httpPort, store)],
      ...(acme && renewals(core, { acme, store: store!, keeper, hasHttp: httpPort !== 0 })),
      close: follow(keeper, core),
    }
  },
})

const redirects = ({ config: { server }, log, site }: Core, port: number, store: AcmeStore | undefined): Listener =>
  redirectListener(
    { host: server.host, port },
    {
      log,
      rootUrl: site.rootUrl,
      challenge: async (token) => store?.readToken(token),
    },
  )

/** Checks the files periodically, and when another process announces a change. */
function follow(keeper: CertificateKeeper, { processes, tuning }: Core): () => void {
  const check = (): void => void keeper.check()
  const timer = setInterval(check, tuning.tls?.checkEveryMs ?? LIMITS.checkEveryMs).unref()
  const stopListening = processes.onAnnounced(CHANGED, check)
  return () => {
    clearInterval(timer)
    stopListening()
  }
}

interface RenewalUse {
  readonly acme: AcmeSettings
  readonly store: AcmeStore
  readonly keeper: CertificateKeeper
  readonly hasHttp: boolean
}

function renewals(core: Core, { acme, store, keeper, hasHttp }: RenewalUse): ReturnType<typeof renewalJobs> {
  const { clock, log, processes } = core
  const challenges: readonly ChallengeType[] = hasHttp ? ['http-01', 'tls-alpn-01'] : ['tls-alpn-01']
  const locks = new KeyedMutex({ name: 'acme', locks: processes.locks })
  const issued = (): Promise<void> => {
    processes.announce(CHANGED)
    return keeper.check()
  }
  return renewalJobs(createRenewals({ settings: acme, challenges, store, clock, log, locks, issued }), core)
}

/** The stored certificate, or one that no client trusts where the first order is still to come. */
async function certificateToBegin(
  { clock, log }: Core,
  store: AcmeStore,
  { names }: AcmeSettings,
): Promise<Certificate> {
  const known = await readCertificate(store.paths).catch(() => undefined)
  if (known !== undefined) return known
  log.warn({ names }, 'there is no certificate yet: until the ACME server issues one, clients get a self-signed one')
  return parseCertificate(await selfSigned(names, clock.now()))
}
