import { randomUUID } from 'node:crypto'
import type { Core } from '../../../../core/module.ts'
import { type Actor, systemActor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { randomHex, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { badRequest, invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { type ActionsScope, type ScopeColumns, scopeColumns } from '../levels.ts'
import { findRunnerByUuid } from './runner-login.store.ts'
import { findTokenByHash, insertRunner, type Runner, updateRunner } from './runner.store.ts'

/** Facts that a runner declares about itself. */
export interface RunnerFacts {
  readonly version: string
  readonly labels: readonly string[]
  /** Additions to the protocol. */
  readonly capabilities: readonly string[]
}

interface NewRunner extends Partial<RunnerFacts> {
  readonly name: string
  readonly description?: string | undefined
  readonly isEphemeral: boolean
}

/** A runner with its token, which is stored only by its hash. */
export interface RegisteredRunner {
  readonly runner: Runner
  readonly token: string
}

interface Identity {
  readonly uuid: string
  readonly token: string
}

const TOKEN_BYTES = 20
const MAX_TEXT = 255
const MAX_DESCRIPTION = 4096
const MAX_LIST = 100
const SECRET = /^[0-9a-f]{40}$/

export type Registration = ReturnType<typeof createRegistration>

/** Registration and declaration of runners (behaviour/actions#runner-protocol). */
export function createRegistration({ database, clock, events }: Pick<Core, 'database' | 'clock' | 'events'>) {
  async function insert(
    tx: Tx,
    actor: Actor,
    place: ScopeColumns,
    { uuid, token, ...given }: NewRunner & Identity,
  ): Promise<RegisteredRunner> {
    const at = clock.now()
    const runner = await insertRunner(tx, {
      ...place,
      uuid,
      token_hash: sha256Hex(token),
      name: requireText('name', given.name),
      description: (given.description ?? '').slice(0, MAX_DESCRIPTION),
      is_ephemeral: flag(given.isEphemeral),
      ...factColumns(given),
      created_at: at,
      updated_at: at,
    })
    const payload = { repo_id: runner.repoId, owner_id: runner.ownerId, runner_id: runner.id, name: runner.name }
    await events.append(tx, 'runner.registered', { actor, repoId: runner.repoId, at }, payload)
    return { runner, token }
  }

  const newIdentity = (): Identity => ({ uuid: randomUUID(), token: randomHex(TOKEN_BYTES) })

  return {
    /** Throws Unauthenticated for a token that is unknown or was reset. */
    register: (token: string, runner: NewRunner): Promise<RegisteredRunner> =>
      database.transaction(async (tx) => {
        if (token === '' || runner.name === '') throw badRequest('missing runner token, name')
        const place = await findTokenByHash(tx, sha256Hex(token))
        if (place === undefined) throw errors.registrationTokenNotFound()
        if (!place.isActive) throw errors.registrationTokenReset()
        const { owner_id, repo_id } = place
        return insert(tx, systemActor, { owner_id, repo_id }, { ...runner, ...newIdentity() })
      }),

    /** A runner that starts with its uuid and token, without registering. */
    create: (actor: Actor, scope: ActionsScope, runner: NewRunner): Promise<RegisteredRunner> =>
      database.transaction((tx) => insert(tx, actor, scopeColumns(scope), { ...runner, ...newIdentity() })),

    /**
     * A runner whose secret was chosen beforehand: 40 hexadecimal digits, of which the first 16 make its uuid. Changes
     * the runner that already has the uuid. Throws Invalid for another secret.
     */
    registerOffline: (actor: Actor, scope: ActionsScope, secret: string, runner: NewRunner): Promise<Runner> => {
      if (!SECRET.test(secret)) throw invalid('the secret must have 40 hexadecimal digits, in lower case')
      const uuid = uuidOfSecret(secret)
      return database.transaction(async (tx) => {
        const known = await findRunnerByUuid(tx, uuid)
        if (known === undefined)
          return (await insert(tx, actor, scopeColumns(scope), { ...runner, uuid, token: secret })).runner
        return updateRunner(tx, known.id, {
          ...scopeColumns(scope),
          name: requireText('name', runner.name),
          token_hash: sha256Hex(secret),
          is_ephemeral: flag(runner.isEphemeral),
          ...factColumns(runner),
          updated_at: clock.now(),
        })
      })
    },

    /** Stores the facts that a runner declares whenever it starts. */
    declare: (id: number, facts: RunnerFacts): Promise<Runner> =>
      database.transaction((tx) => updateRunner(tx, id, { ...factColumns(facts), updated_at: clock.now() })),
  }
}

/** Its first 16 characters, as bytes, in the form of a uuid, which the runner computes as well. */
function uuidOfSecret(secret: string): string {
  const hex = Buffer.from(secret.slice(0, 16), 'latin1').toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const factColumns = ({ version, labels, capabilities }: Partial<RunnerFacts>) => ({
  ...(version !== undefined && { version: version.slice(0, MAX_TEXT) }),
  ...(labels !== undefined && { labels: listOf('labels', labels) }),
  ...(capabilities !== undefined && { capabilities: listOf('capabilities', capabilities) }),
})

function requireText(field: string, text: string): string {
  if (text === '' || text.length > MAX_TEXT || /\p{Cc}/u.test(text))
    throw invalid(`${field}: 1 to ${MAX_TEXT} characters without control characters are needed`)
  return text
}

function listOf(field: string, texts: readonly string[]): string {
  if (texts.length > MAX_LIST) throw invalid(`${field}: at most ${MAX_LIST} are allowed`)
  return JSON.stringify([...new Set(texts.map((text) => requireText(field, text)))])
}
