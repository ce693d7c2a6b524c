import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

/** A remote copy of a repository of this server. */
export interface PushMirrorTable {
  id: Generated<number>
  repo_id: number
  remote_name: string
  /** The address without credentials. */
  remote_url: string
  /** Encrypted; empty without credentials. */
  credentials: Generated<string>
  /** One line in OpenSSH format; the private key is encrypted. Both are empty unless the mirror uses SSH. */
  public_key: Generated<string>
  private_key: Generated<string>
  /** Patterns with commas between them; empty for all branches. */
  branch_filter: Generated<string>
  interval: number
  is_on_commit: Generated<Flag>
  pushed_at: Generated<number>
  next_sync_at: Generated<number>
  /** Id of the last row of `lfs_link` whose object has been sent. */
  lfs_sent: Generated<number>
  last_error: Generated<string>
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    push_mirror: PushMirrorTable
  }
}
