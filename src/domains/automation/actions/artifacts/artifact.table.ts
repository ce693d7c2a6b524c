import type { Generated } from 'kysely'

export type ArtifactStatus = 'uploading' | 'ready' | 'expired'

/** A file that jobs of a run left; of the older protocol, one file of several with the same name. */
export interface ActionArtifactTable {
  id: Generated<number>
  repo_id: number
  run_id: number
  /** The task that uploaded it; it may have been deleted. */
  task_id: number
  name: string
  /** Of a file of the older protocol; else empty. */
  path: Generated<string>
  /** `v4`: one zip file; `v3`: files one by one. */
  protocol: 'v3' | 'v4'
  status: ArtifactStatus
  /** `gzip` where the runner sent it so; else empty. */
  encoding: Generated<string>
  /** Of the blob; empty before the upload is complete and when it is expired. */
  hash: Generated<string>
  /** Bytes. */
  size: Generated<number>
  expires_at: number
  created_at: number
  updated_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    action_artifact: ActionArtifactTable
  }
}
