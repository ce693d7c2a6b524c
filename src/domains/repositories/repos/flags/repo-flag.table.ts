export interface RepoFlagTable {
  repo_id: number
  name: string
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    repo_flag: RepoFlagTable
  }
}
