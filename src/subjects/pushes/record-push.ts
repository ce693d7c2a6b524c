import type { Tx } from '../../db/database.ts'
import type { Events } from '../../events/index.ts'
import { isZeroOid } from '../../git/index.ts'
import {
  countBranches,
  deleteBranches,
  insertPushes,
  type PushOrigin,
  type Repo,
  updateRepo,
  upsertBranches,
} from '../repos/index.ts'

export interface RefChange {
  readonly ref: string
  readonly oldOid: string
  readonly newOid: string
}

const BRANCH = 'refs/heads/'

interface RecordedPush {
  readonly repo: Repo
  readonly changes: readonly RefChange[]
  /** The branch that becomes the default one. */
  readonly defaultBranch: string | undefined
  readonly isMirrorSync?: boolean | undefined
}

/** Everything the database stores of a push: its record, branch rows, the repo's own columns and the event. */
export async function recordPush(
  tx: Tx,
  events: Events,
  origin: PushOrigin,
  { repo, changes, defaultBranch, isMirrorSync = false }: RecordedPush,
): Promise<void> {
  if (changes.length === 0) return
  const branches = changes.filter((change) => change.ref.startsWith(BRANCH))
  const kept = branches.filter((change) => !isZeroOid(change.newOid))
  const deleted = branches.filter((change) => isZeroOid(change.newOid))
  await insertPushes(tx, origin, changes)
  await upsertBranches(
    tx,
    origin,
    kept.map((change) => ({ name: change.ref.slice(BRANCH.length), oid: change.newOid })),
  )
  await deleteBranches(
    tx,
    repo.id,
    deleted.map((change) => change.ref.slice(BRANCH.length)),
  )
  await updateRepo(tx, repo.id, {
    pushed_at: origin.at,
    updated_at: origin.at,
    ...(branches.length > 0 && { branches_count: await countBranches(tx, repo.id) }),
    ...(kept.length > 0 && { is_empty: 0 as const }),
    ...(defaultBranch !== undefined && { default_branch: defaultBranch }),
  })
  await events.append(
    tx,
    'repo.pushed',
    { actorId: origin.pusherId, repoId: repo.id, at: origin.at },
    {
      repo_id: repo.id,
      ...(isMirrorSync && { is_mirror_sync: true }),
      updates: changes.map((change) => ({ ref: change.ref, old_oid: change.oldOid, new_oid: change.newOid })),
    },
  )
}
