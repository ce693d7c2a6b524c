import { type CredentialRestriction, reachesRepo, restrictionOf } from '../../../../core/access/authorize.ts'
import { AccessMode, NO_ACCESS, unitMode } from '../../../../core/access/repo-access.ts'
import { ANONYMOUS, type SignedIn } from '../../../../core/access/viewer.ts'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import type { Core, Services } from '../../../../core/module.ts'
import { userPresenters, userQueries } from '../../../accounts/index.ts'
import { accessQueries, presentRepo, type Repo, repoQueries } from '../../../repositories/index.ts'
import type { Members } from '../workflows/reading/problem.ts'
import { locate, startAll, type StartDeps } from './start-runs.ts'

/** An event that somebody outside has made up, for workflows of the default branch. */
export interface RepositoryDispatch {
  /** The type, which workflows select by `types`. */
  readonly type: string
  readonly payload: Members
}

interface DispatchRequest {
  readonly repoId: number
  readonly actorId: number
  readonly restriction: CredentialRestriction | undefined
  readonly source: string
  readonly dispatch: RepositoryDispatch
}

const ON = 'repository_dispatch'
const NEED = { scopes: ['repository'], level: 'write' } as const

/** Enqueues a job that starts the workflows of an event; its payload contains all that it needs. */
export const dispatchRepository = (
  { database, jobs }: Pick<Core, 'database' | 'jobs'>,
  actor: SignedIn,
  { repo, dispatch: { type, payload } }: { readonly repo: Repo; readonly dispatch: RepositoryDispatch },
): Promise<void> =>
  database.transaction(async (tx) => {
    const source = `${ON}:${randomHex(16)}`
    const given = {
      repo_id: repo.id,
      actor_id: actor.account.id,
      source,
      type,
      client_payload: JSON.stringify(payload),
    }
    const restriction = restrictionOf(actor)
    await jobs.enqueue(
      tx,
      'actions.repository_dispatch',
      { ...given, ...(restriction && { restriction }) },
      { key: source },
    )
  })

/**
 * Starts the workflows of an event, each once, unless the credentials of its author may no longer write to the unit.
 */
export async function startDispatched(
  deps: StartDeps & { readonly repos: Pick<Services['repos'], 'view'> },
  { repoId, actorId, restriction, source, dispatch }: DispatchRequest,
): Promise<void> {
  const { read } = deps.database
  const repo = await repoQueries.findById(read, asId(repoId))
  const actor = await userQueries.loadActing(read, actorId, restriction, NEED)
  if (repo === undefined || actor === undefined || !reachesRepo(actor, repo)) return
  if (unitMode(await accessQueries.load(read, actor, repo), 'repo.actions') < AccessMode.write) return
  const user = (await userQueries.findById(read, actor.account.id))!
  const view = await deps.repos.view(ANONYMOUS, { repo, access: NO_ACCESS })
  const occurrence = {
    on: ON,
    types: [dispatch.type],
    place: undefined,
    payload: {
      action: dispatch.type,
      branch: repo.defaultBranch,
      client_payload: dispatch.payload,
      repository: presentRepo(view, deps.site),
      sender: userPresenters.present(user, ANONYMOUS, deps.site),
    },
    facts: {},
    isFromFork: false,
  }
  const located = await locate(deps, { repoId: repo.id, actorId: user.id, source }, occurrence)
  if (located !== undefined) await startAll(deps, located, occurrence.types)
}
