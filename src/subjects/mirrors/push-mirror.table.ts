import type { Generated } from 'kysely'
import type { Flag } from '../../db/flag.ts'

/** Another server's repository that follows one of ours. */
export interface PushMirrorTable {
  id: Generated<number>
  repo_id: number
  remote_name: string
  /** Without credentials. */
  remote_url: string
  /** Sealed; empty for none. */
  credentials: Generated<string>
  /** One line of OpenSSH, and the private key sealed; empty unless pushed by SSH. */
  public_key: Generated<string>
  private_key: Generated<string>
  interval: number
  is_on_commit: Generated<Flag>
  pushed_at: Generated<number>
  next_sync_at: Generated<number>
  /** The last row of lfs_link whose object the other side has. */
  lfs_sent: Generated<number>
  last_error: Generated<string>
  created_at: number
}

declare module '../../db/schema.ts' {
  interface Schema {
    push_mirror: PushMirrorTable
  }
}
