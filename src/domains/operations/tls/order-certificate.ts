import { readFile } from 'node:fs/promises'
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import type { Client, ClientAutoOptions } from 'acme-client'
import type { KeyPair } from '../../../core/http/tls/certificate.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { readRetryAfter } from '../../../core/platform/http/retry-after.ts'
import { members } from '../../../core/platform/json-members.ts'
import type { AcmeStore } from './acme-store.ts'
import type { AcmeSettings } from './tls-settings.ts'

export type ChallengeType = 'http-01' | 'tls-alpn-01'

export interface Order {
  readonly settings: AcmeSettings
  readonly challenge: ChallengeType
  readonly store: AcmeStore
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The ACME server has refused a request, and says for how many milliseconds it will. */
  refused(ms: number): void
}

const REQUEST_MS = 30_000
const MAX_ANSWER_BYTES = 1024 * 1024
/** Milliseconds between two polls of the state of a challenge or an order. */
const [POLL_MIN_MS, POLL_MAX_MS, POLLS] = [500, 10_000, 15]
/** Maximum wait between two polls that the ACME server may ask for. */
const MAX_POLL_WAIT_MS = 60_000

/** Gets a certificate for all names with a new key. Throws what the ACME server says, or the reason of the signal. */
export async function orderCertificate(order: Order): Promise<KeyPair> {
  const { settings, challenge, store, signal } = order
  const acme = await import('acme-client')
  const trusted = settings.caFile === '' ? undefined : [...rootCertificates, await readFile(settings.caFile, 'utf8')]
  const agent = new Agent({ ca: trusted })
  Object.assign(acme.axios.defaults, {
    httpsAgent: agent,
    proxy: false,
    timeout: REQUEST_MS,
    maxContentLength: MAX_ANSWER_BYTES,
  })
  // NOTE: the interceptors repeat requests after the time that the ACME server states; the next order does that.
  acme.axios.interceptors.request.clear()
  acme.axios.interceptors.response.clear()
  acme.axios.interceptors.response.use((answer) => obeyed(answer, order))
  const client = new acme.Client({
    directoryUrl: settings.directory,
    accountKey: await store.accountKey(async () => (await acme.crypto.createPrivateEcdsaKey()).toString()),
    backoffAttempts: POLLS,
    backoffMin: POLL_MIN_MS,
    backoffMax: POLL_MAX_MS,
  })
  const key = (await acme.crypto.createPrivateEcdsaKey()).toString()
  const [, csr] = await acme.crypto.createCsr({ altNames: [...settings.names] }, key)
  const nameOf = (token: string, name: string): string => (challenge === 'http-01' ? token : `${name}.pem`)
  const options: ClientAutoOptions = {
    csr,
    // NOTE: the server may not be able to reach itself by its public name.
    skipChallengeVerification: true,
    challengePriority: [challenge],
    async challengeCreateFn(authorization, { type, token }, proof) {
      if (type !== challenge) throw new Error(`the ACME server does not offer ${challenge}`)
      const name = authorization.identifier.value
      if (challenge === 'http-01') return store.writeChallenge(nameOf(token, name), proof)
      const proofKey = (await acme.crypto.createPrivateEcdsaKey()).toString()
      const [, certificate] = await acme.crypto.createAlpnCertificate(authorization, proof, proofKey)
      await store.writeChallenge(nameOf(token, name), `${proofKey}\n${certificate.toString()}\n`)
    },
    challengeRemoveFn: ({ identifier }, { token }) => store.deleteChallenge(nameOf(token, identifier.value)),
  }
  try {
    const ordered = signUp(client, settings.email).then(() => client.auto(options))
    return { key, cert: await unlessAborted(ordered, signal) }
  } finally {
    agent.destroy()
  }
}

interface AcmeAnswer {
  readonly status: number
  readonly headers: object
  readonly data: unknown
}

/** Reports a refusal; waits before the next poll of an answer that is not final. */
async function obeyed<T extends AcmeAnswer>(answer: T, { clock, signal, refused }: Order): Promise<T> {
  const header = members(answer.headers)['retry-after']
  const wait = readRetryAfter(typeof header === 'string' ? header : undefined, clock.now()) ?? 0
  if (wait <= 0) return answer
  if (answer.status >= 400) refused(wait)
  else if (['pending', 'processing'].includes(String(members(answer.data)['status'])))
    await sleep(Math.min(wait, MAX_POLL_WAIT_MS), undefined, { signal })
  return answer
}

async function signUp(client: Client, email: string): Promise<void> {
  try {
    await client.createAccount({ termsOfServiceAgreed: true, ...(email !== '' && { contact: [`mailto:${email}`] }) })
  } catch (error) {
    // NOTE: the library updates the contact of an existing account, which servers refuse if there is none.
    if (!hasAccount(client)) throw error
  }
}

function hasAccount(client: Client): boolean {
  try {
    return client.getAccountUrl() !== ''
  } catch {
    return false
  }
}

/** NOTE: the library cannot be stopped; what it does after the abort has no effect. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
    work.catch(() => {})
  }
}
