import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

/** Individuals and organizations: they share one space of names and own repositories alike. */
export interface UserTable {
  id: Generated<number>
  kind: 'individual' | 'organization' | 'bot'
  name: string
  lower_name: string
  full_name: string
  email: string
  password_hash: string
  login_name: string
  source_id: number
  visibility: 'public' | 'limited' | 'private'
  description: string
  location: string
  website: string
  pronouns: string
  language: string
  /** Hash of the stored image; empty without one. */
  avatar: string
  is_active: Flag
  is_admin: Flag
  is_restricted: Flag
  is_login_prohibited: Flag
  must_change_password: Flag
  is_email_hidden: Flag
  can_create_organization: Flag
  /** -1: the server's own limit. */
  max_repo_creation: number
  /** Organizations: repository admins may add and remove teams. */
  repo_admin_change_team_access: Flag
  followers_count: number
  following_count: number
  stars_count: number
  /** JSON: preferences that only the user's own settings read. */
  settings: string
  created_at: number
  updated_at: number
  last_login_at: number
}

export interface EmailAddressTable {
  id: Generated<number>
  user_id: number
  email: string
  lower_email: string
  is_activated: Flag
  is_primary: Flag
}

export interface UserRedirectTable {
  lower_name: string
  user_id: number
}

export interface FollowTable {
  user_id: number
  followed_id: number
  created_at: number
}
