import { type CredentialRestriction, parseRestriction, formatRestriction } from '../../../core/access/authorize.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import { asId, type IssueId, type PullId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Selectable } from 'kysely'
import { flag } from '../../../core/db/flag.ts'
import type { MergeIntentTable } from './merges.table.ts'

/** The issue of a pull request; undefined when it was deleted. */
export async function findIssueOfPull(db: Db, id: PullId): Promise<IssueId | undefined> {
  const row = await db.selectFrom('pull').select('issue_id').where('id', '=', id).executeTakeFirst()
  return row && asId(row.issue_id)
}

/** A branch that is the base of open pull requests. */
export interface OpenBase {
  readonly branch: string
  readonly oid: string
  /** The account that pushed to it last; 0 or less for none. */
  readonly pusherId: number
  /** The restriction of the credentials that pushed. */
  readonly restriction: CredentialRestriction | undefined
}

/** The branches of a repository that are bases of open pull requests, by name. */
export async function listOpenBases(db: Db, repoId: RepoId): Promise<OpenBase[]> {
  const rows = await db
    .selectFrom('branch')
    .select(['name', 'oid', 'pusher_id', 'pusher_restriction'])
    .where('repo_id', '=', repoId)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('pull')
          .select('pull.id')
          .where('pull.base_repo_id', '=', repoId)
          .where('pull.is_closed', '=', 0)
          .whereRef('pull.base_branch', '=', 'branch.name'),
      ),
    )
    .orderBy('name')
    .execute()
  return rows.map((row) => ({
    branch: row.name,
    oid: row.oid,
    pusherId: row.pusher_id,
    restriction: parseRestriction(row.pusher_restriction),
  }))
}

/** A built merge whose base is about to move. */
export interface MergeIntent {
  readonly pullId: PullId
  /** The repository of the base. */
  readonly repoId: RepoId
  readonly baseBranch: string
  /** The commit that the base branch is moved to. */
  readonly oid: string
  /** The value of `Do` in the API. */
  readonly style: string
  readonly actorId: UserId
  /** The restriction of the credentials that requested the merge. */
  readonly restriction: CredentialRestriction | undefined
  readonly isAuto: boolean
  readonly deletesBranch: boolean
  /** The server that runs the merge. */
  readonly server: string
  /** Epoch milliseconds. */
  readonly at: number
}

const toIntent = (row: Selectable<MergeIntentTable>): MergeIntent => ({
  pullId: asId(row.pull_id),
  repoId: asId(row.repo_id),
  baseBranch: row.base_branch,
  oid: row.oid,
  style: row.style,
  actorId: asId(row.actor_id),
  restriction: parseRestriction(row.restriction),
  isAuto: row.is_auto === 1,
  deletesBranch: row.deletes_branch === 1,
  server: row.server,
  at: row.created_at,
})

export async function findIntent(db: Db, pullId: PullId): Promise<MergeIntent | undefined> {
  const row = await db.selectFrom('merge_intent').selectAll().where('pull_id', '=', pullId).executeTakeFirst()
  return row && toIntent(row)
}

/** The intents of one base repository, oldest first. */
export async function listIntents(db: Db, repoId: RepoId): Promise<MergeIntent[]> {
  const rows = await db
    .selectFrom('merge_intent')
    .selectAll()
    .where('repo_id', '=', repoId)
    .orderBy('created_at')
    .execute()
  return rows.map(toIntent)
}

/** The caller has locked the pull request and found no intent. */
export async function insertIntent(tx: Tx, intent: MergeIntent): Promise<void> {
  const values = {
    pull_id: intent.pullId,
    repo_id: intent.repoId,
    base_branch: intent.baseBranch,
    oid: intent.oid,
    style: intent.style,
    actor_id: intent.actorId,
    restriction: formatRestriction(intent.restriction),
    is_auto: flag(intent.isAuto),
    deletes_branch: flag(intent.deletesBranch),
    server: intent.server,
    created_at: intent.at,
  }
  await tx.insertInto('merge_intent').values(values).execute()
}

/** Does nothing when the pull request has no intent or one with another commit. */
export async function deleteIntent(tx: Tx, { pullId, oid }: Pick<MergeIntent, 'pullId' | 'oid'>): Promise<void> {
  await tx.deleteFrom('merge_intent').where('pull_id', '=', pullId).where('oid', '=', oid).execute()
}
