import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH, TEXT_LENGTH } from '../../../../core/http/body/limits.ts'
import { OneOf } from '../../../../core/http/answer/text.ts'

/** Characters of a DN or a filter. */
const LDAP_TEXT = 2048

const Text = (description: string, maxLength = LDAP_TEXT) => Type.String({ maxLength, description })
const Attribute = (description: string) => Text(description, NAME_LENGTH)

const GroupTeam = Type.Object({
  group: Text('DN of the group'),
  organization: Type.String({ maxLength: NAME_LENGTH }),
  team: Type.String({ maxLength: NAME_LENGTH }),
})

const members = {
  host: Text('Name or address of the directory', NAME_LENGTH),
  port: Type.Integer({ minimum: 0, maximum: 65_535, description: '0: 636 for ldaps, else 389' }),
  security: OneOf('unencrypted', 'starttls', 'ldaps'),
  ca_certificates: Text('PEM of the authorities that certify the directory; empty: those of the system', TEXT_LENGTH),
  bind_dn: Text('Account that searches; empty: anonymous, or the user with user_dn'),
  user_dn: Text('DN of a user, %s is the login name; then the user binds without a search before'),
  user_search_base: Text('DN below which users are'),
  user_filter: Text('Users who may sign in; %s is the login name'),
  admin_filter: Text('Users who are site administrators; empty: the server decides'),
  restricted_filter: Text('Users who are restricted; empty: the server decides'),
  username_attribute: Attribute('Login name'),
  email_attribute: Attribute('E-mail address'),
  full_name_attribute: Attribute('Full name'),
  ssh_key_attribute: Attribute('SSH public keys; empty: users add their own'),
  subject_attribute: Attribute('Attribute that never changes, such as entryUUID or objectGUID'),
  group_search_base: Text('DN below which groups are'),
  group_filter: Text('Which entries are groups'),
  group_member_attribute: Attribute('Members of a group'),
  group_member_value: Attribute('Value by which groups list a user: dn, or an attribute such as uid'),
  nested_groups: Type.Boolean({ description: 'Members of a group in a group are members' }),
  group_teams: Type.Array(GroupTeam, { maxItems: LIST_ITEMS, description: 'Teams for the members of groups' }),
  remove_from_teams: Type.Boolean({ description: 'Take users from these teams who are in no group for them' }),
  create_accounts: Type.Boolean({ description: 'At the first sign-in, and by the synchronization' }),
  synchronize: Type.Boolean({ description: 'Compare all accounts with the directory (sync_external_users)' }),
  page_size: Type.Integer({ minimum: 1, maximum: 1000, description: 'Entries in one answer of a synchronization' }),
}

const bindPassword = Type.String({ maxLength: NAME_LENGTH, description: 'Password of bind_dn' })

const LdapSettings = Type.Object({ ...members, bind_password: bindPassword })
export type LdapSettings = Static<typeof LdapSettings>

export const LdapView = Type.Object({ ...members, has_bind_password: Type.Boolean() }, { $id: 'LdapSettings' })

export const LdapOptions = Type.Partial(LdapSettings, { $id: 'LdapOptions' })
