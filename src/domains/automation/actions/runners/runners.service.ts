import type { Core } from '../../../../core/module.ts'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { SealedColumns } from '../../../../core/db/sealed-columns.ts'
import { flag } from '../../../../core/db/flag.ts'
import { randomHex, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { errors } from '../../../errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { actionsEvents } from '../actions.events.ts'
import { type ActionsScope, scopeColumns } from '../levels.ts'
import {
  findActiveToken,
  insertActiveToken,
  deactivateTokens,
  deleteRunner,
  findRunner,
  listRunners,
  lockRunner,
  type Runner,
  type RunnerFilter,
  updateRunner,
} from './runner.store.ts'

type RunnerDeps = Pick<Core, 'database' | 'clock' | 'events' | 'secrets'>

const TOKEN_BYTES = 20
const TOKEN = 'action_registration_token'

export const sealedTokenColumns: SealedColumns = {
  table: 'action_registration_token',
  key: 'id',
  contexts: { sealed: () => TOKEN },
}

export type Runners = ReturnType<typeof createRunners>

/** Runners of the site, of accounts and of repositories (behaviour/actions#runners). */
export function createRunners({ database, clock, events, secrets }: RunnerDeps) {
  async function makeToken(tx: Tx, scope: ActionsScope): Promise<string> {
    const token = randomHex(TOKEN_BYTES)
    await insertActiveToken(tx, scope, { hash: sha256Hex(token), sealed: secrets.seal(token, TOKEN), at: clock.now() })
    return (await findActiveToken(tx, scope))!
  }

  const append = (tx: Tx, kind: keyof typeof actionsEvents & `runner.${string}`, actor: Actor, runner: Runner) =>
    events.append(
      tx,
      kind,
      { actor, repoId: runner.repoId, at: clock.now() },
      { repo_id: runner.repoId, owner_id: runner.ownerId, runner_id: runner.id, name: runner.name },
    )

  return {
    /** The token with which runners register at this level; the same every time, generated at the first request. */
    async registrationToken(scope: ActionsScope): Promise<string> {
      const sealed =
        (await findActiveToken(database.read, scope)) ?? (await database.transaction((tx) => makeToken(tx, scope)))
      return secrets.open(sealed, TOKEN)
    },
    /** A new token; runners that use the one before are refused. */
    resetRegistrationToken: async (scope: ActionsScope): Promise<string> =>
      secrets.open(
        await database.transaction(async (tx) => {
          await deactivateTokens(tx, scopeColumns(scope))
          return makeToken(tx, scope)
        }),
        TOKEN,
      ),
    /** Ordered by the last time online, latest first; for the site, all runners. */
    list: (scope: ActionsScope, options: RunnerFilter & { readonly paging: Paging }): Promise<Page<Runner>> =>
      listRunners(database.read, scope, options),
    /** Throws NotFound, also for a runner that is neither of this level nor inherited; the site level includes all. */
    get: async (scope: ActionsScope, id: number): Promise<Runner> =>
      requireRunner(await findRunner(database.read, scope, id)),

    /** A disabled runner gets no tasks. Throws NotFound. */
    setDisabled: (actor: Actor, scope: ActionsScope, id: number, isDisabled: boolean): Promise<Runner> =>
      database.transaction(async (tx) => {
        const runner = requireRunner(await lockRunner(tx, scope, id))
        if (runner.isDisabled === isDisabled) return runner
        await updateRunner(tx, id, { is_disabled: flag(isDisabled), updated_at: clock.now() })
        await append(tx, isDisabled ? 'runner.disabled' : 'runner.enabled', actor, runner)
        return { ...runner, isDisabled }
      }),

    /** Throws NotFound. */
    delete: (actor: Actor, scope: ActionsScope, id: number): Promise<void> =>
      database.transaction(async (tx) => {
        const runner = requireRunner(await lockRunner(tx, scope, id))
        await deleteRunner(tx, id)
        await append(tx, 'runner.deleted', actor, runner)
      }),
  }
}

function requireRunner(runner: Runner | undefined): Runner {
  if (runner === undefined) throw errors.runnerNotFound()
  return runner
}
