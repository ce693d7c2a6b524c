import { type CredentialRestriction, parseRestriction } from '../../../core/access/credential-restriction.ts'
import type { Db } from '../../../core/db/database.ts'
import { asId, type IssueId, type PullId, type RepoId } from '../../../core/platform/crypto/ids.ts'

/** The issue of a pull request; undefined when it was deleted. */
export async function findIssueOfPull(db: Db, id: PullId): Promise<IssueId | undefined> {
  const row = await db.selectFrom('pull').select('issue_id').where('id', '=', id).executeTakeFirst()
  return row && asId(row.issue_id)
}

/** A branch into which pull requests are open. */
export interface OpenBase {
  readonly branch: string
  readonly oid: string
  /** Who pushed to it last; 0 or less for no account. */
  readonly pusherId: number
  /** Of the credentials that pushed. */
  readonly restriction: CredentialRestriction | undefined
}

/** The branches of a repository into which pull requests are open, in the order of their names. */
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
