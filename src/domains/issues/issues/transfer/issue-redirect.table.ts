/** The number that a transferred issue had in another repository. */
export interface IssueRedirectTable {
  repo_id: number
  number: number
  issue_id: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    issue_redirect: IssueRedirectTable
  }
}
