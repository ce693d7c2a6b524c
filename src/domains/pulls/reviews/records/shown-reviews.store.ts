import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { readersOf } from '../../../../core/access/repo-readers.store.ts'
import type { Repo } from '../../../repositories/index.ts'

/**
 * For queries over `review` in one repository: all but requests of persons and teams that cannot review now, because
 * they lost access or their account is suspended (behaviour/pull-requests#requested-reviewers).
 */
export const isShown = (repo: Repo): RawBuilder<SqlBool> =>
  sql<SqlBool>`(review.kind <> 'request' or ${ofActiveReader(repo)}${repo.isPrivate ? sql` or ${ofReadingTeam(repo)}` : sql` or review.team_id > 0`})`

const ofActiveReader = (repo: Repo): RawBuilder<SqlBool> =>
  sql<SqlBool>`(review.team_id = 0 and exists (select 1 from "user" where "user".id = review.reviewer_id
    and "user".is_active = 1 and "user".is_login_prohibited = 0 and ${readersOf(repo, 'repo.pulls')}))`

/** The twin of `teamProblem`. */
const ofReadingTeam = ({ id, ownerId }: Repo): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from team where team.id = review.team_id and team.org_id = ${ownerId}
    and (team.includes_all_repositories = 1
      or exists (select 1 from team_repo where team_repo.team_id = team.id and team_repo.repo_id = ${id}))
    and (team.mode >= 3 or exists (select 1 from team_unit
      where team_unit.team_id = team.id and team_unit.unit = 'repo.pulls' and team_unit.mode > 0)))`
