import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

/** The blocker is a user or an organization, the blocked account a user. */
export interface UserBlockTable {
  blocker_id: number
  blocked_id: number
  /** Visible only to the blocker. */
  note: Generated<string>
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    user_block: UserBlockTable
  }
}

export interface EmailAddressTable {
  id: Generated<number>
  user_id: number
  email: string
  lower_email: string
  is_activated: Generated<Flag>
  is_primary: Generated<Flag>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    email_address: EmailAddressTable
  }
}

export interface FollowTable {
  user_id: number
  followed_id: number
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    follow: FollowTable
  }
}

/** Individuals and organizations: they share one namespace, and both own repositories. */
export interface UserTable {
  id: Generated<number>
  kind: 'individual' | 'organization' | 'bot'
  name: string
  lower_name: string
  full_name: Generated<string>
  email: Generated<string>
  password_hash: Generated<string>
  login_name: Generated<string>
  source_id: Generated<number>
  visibility: Generated<'public' | 'limited' | 'private'>
  description: Generated<string>
  location: Generated<string>
  website: Generated<string>
  pronouns: Generated<string>
  language: Generated<string>
  /** Hash of the stored image; empty without an image. */
  avatar: Generated<string>
  is_active: Generated<Flag>
  is_admin: Generated<Flag>
  is_restricted: Generated<Flag>
  is_login_prohibited: Generated<Flag>
  must_change_password: Generated<Flag>
  is_email_hidden: Generated<Flag>
  are_pronouns_hidden: Generated<Flag>
  can_create_organization: Generated<Flag>
  /** -1: the default limit of the server. */
  max_repo_creation: Generated<number>
  /** Organizations: repository admins may add and remove teams. */
  repo_admin_change_team_access: Generated<Flag>
  followers_count: Generated<number>
  following_count: Generated<number>
  stars_count: Generated<number>
  /** JSON: Preferences. */
  settings: Generated<string>
  /** Name, full name and unhidden e-mail in lower case, one per line; written by the store. */
  search_text: Generated<string>
  created_at: number
  updated_at: number
  last_login_at: Generated<number>
}

export interface UserRedirectTable {
  lower_name: string
  user_id: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    user: UserTable
    user_redirect: UserRedirectTable
  }
}
