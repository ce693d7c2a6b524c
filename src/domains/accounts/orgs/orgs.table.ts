import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

export interface OrgMemberTable {
  org_id: number
  user_id: number
  is_public: Generated<Flag>
  joined_at: Generated<number>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    org_member: OrgMemberTable
  }
}

export interface TeamTable {
  id: Generated<number>
  org_id: number
  name: string
  lower_name: string
  description: Generated<string>
  /** AccessMode: 0 none (units decide) 1 read 2 write 3 admin 4 owner. */
  mode: Generated<number>
  includes_all_repositories: Generated<Flag>
  can_create_org_repo: Generated<Flag>
  /** Who sees the team in addition to its members and the owners: `limited` the members of the organization. */
  visibility: Generated<TeamVisibility>
  created_at: number
}

export type TeamVisibility = 'private' | 'limited' | 'public'

export interface TeamUnitTable {
  team_id: number
  unit: string
  mode: number
}

export interface TeamMemberTable {
  team_id: number
  org_id: number
  user_id: number
}

export interface TeamRepoTable {
  team_id: number
  org_id: number
  repo_id: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    team: TeamTable
    team_member: TeamMemberTable
    team_repo: TeamRepoTable
    team_unit: TeamUnitTable
  }
}
