import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeyPair } from '../../../core/http/tls/certificate.ts'
import { writeDurably } from '../../../core/platform/files/durable.ts'
import { ifMissing } from '../../../core/platform/files/missing.ts'
import { makeDirectory } from '../../../core/platform/files/private.ts'
import { members, numberOf, parseJson, textOf } from '../../../core/platform/json-members.ts'
import type { CertificatePaths } from './tls-settings.ts'

/** How the last order ended. */
export interface OrderState {
  /** The ACME server that issued the stored certificate; undefined if there is none. */
  readonly issuedBy: string | undefined
  /** Orders that failed since the last one that did not. */
  readonly failures: number
  /** Epoch milliseconds before which no other order begins. */
  readonly nextAttemptAt: number
  /** Names and directory of the failed orders: other orders need not wait. */
  readonly attempted: string
  /** Why the last one failed. */
  readonly reason: string
}

const NO_STATE: OrderState = { issuedBy: undefined, failures: 0, nextAttemptAt: 0, attempted: '', reason: '' }
/** No name has a dot at its beginning, and no token has any. */
const NAME = /^[a-z0-9-][a-z0-9.-]{0,252}$/

/**
 * Account key, certificate, running challenges and the state of the orders, in `data_dir/tls`: for all processes, and
 * in a cluster for all nodes.
 */
export type AcmeStore = ReturnType<typeof createAcmeStore>

export function createAcmeStore(dataDir: string) {
  const dir = join(dataDir, 'tls')
  const certificate = join(dir, 'certificate.pem')
  const stateFile = join(dir, 'state.json')
  const accountFile = join(dir, 'account.pem')
  const challengeFile = (name: string): string => join(dir, 'challenges', name)

  return {
    /** Both in one file, so that they are replaced together. */
    paths: { cert: certificate, key: certificate } satisfies CertificatePaths,
    stateFile,
    /** Called before anything is written. */
    prepare: (): void => makeDirectory(join(dir, 'challenges')),
    writeCertificate: ({ cert, key }: KeyPair): Promise<void> =>
      writeDurably(certificate, `${key.trim()}\n${cert.trim()}\n`),
    /** The key of the account, created by `generate` the first time. */
    async accountKey(generate: () => Promise<string>): Promise<string> {
      const known = await readFile(accountFile, 'utf8').catch(ifMissing(undefined))
      if (known !== undefined) return known
      const made = await generate()
      await writeDurably(accountFile, made)
      return made
    },
    async readState(): Promise<OrderState> {
      const text = await readFile(stateFile, 'utf8').catch(ifMissing(''))
      const { issuedBy, failures, nextAttemptAt, attempted, reason } = members(parseJson(text)?.value)
      return {
        issuedBy: typeof issuedBy === 'string' ? issuedBy : undefined,
        failures: numberOf(failures),
        nextAttemptAt: numberOf(nextAttemptAt),
        attempted: textOf(attempted),
        reason: textOf(reason),
      }
    },
    writeState: (state: Partial<OrderState>): Promise<void> =>
      writeDurably(stateFile, JSON.stringify({ ...NO_STATE, ...state })),
    /** `name`: the token of http-01, the DNS name of tls-alpn-01. */
    writeChallenge: (name: string, answer: string): Promise<void> => writeDurably(challengeFile(name), answer),
    deleteChallenge: (name: string): Promise<void> => rm(challengeFile(name), { force: true }),
    readToken: (token: string): Promise<string | undefined> =>
      readFile(challengeFile(token), 'utf8').catch(ifMissing(undefined)),
    /** NOTE: synchronous, because the callback of the handshake is; only clients that offer acme-tls/1 reach it. */
    readChallenge(name: string): KeyPair | undefined {
      if (!NAME.test(name)) return undefined
      try {
        const text = readFileSync(challengeFile(`${name}.pem`), 'utf8')
        return { cert: text, key: text }
      } catch (error) {
        return ifMissing(undefined)(error as NodeJS.ErrnoException)
      }
    },
  }
}
