import type { Generated } from 'kysely'

/** An old name of a branch and its current name; one row for each old name. */
interface RenamedBranchTable {
  id: Generated<number>
  repo_id: number
  from_name: string
  to_name: string
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    renamed_branch: RenamedBranchTable
  }
}
