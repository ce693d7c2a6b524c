/** The issue or pull request `issue_id` cannot be closed while `depends_on_id` is open. */
export interface IssueDependencyTable {
  issue_id: number
  depends_on_id: number
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    issue_dependency: IssueDependencyTable
  }
}
