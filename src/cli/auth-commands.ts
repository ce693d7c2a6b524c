import { type Command, CONFIG_OPTIONS, type Option } from './command.ts'

const text = (value: string, help: string): Option => ({ type: 'string', value, help })
const flag = (help: string): Option => ({ type: 'boolean', help })
const ID: Option = { type: 'string', value: 'ID', help: 'id of the sign-in source', required: true }

/** The settings of an LDAP source (docs/operate/sign-in.md#ldap). */
const LDAP_OPTIONS: Readonly<Record<string, Option>> = {
  host: text('HOST', 'name or address of the directory'),
  port: text('PORT', 'port; 636 for ldaps, else 389, if omitted'),
  'security-protocol': text('KIND', 'unencrypted, starttls or ldaps'),
  'ca-file': text('FILE', 'PEM file of the authorities that certify the directory; its content is stored'),
  'bind-dn': text('DN', 'account that searches'),
  'bind-password': text('TEXT', 'password of that account; other users of the machine can see it while this runs'),
  'bind-password-file': text('FILE', 'file with that password'),
  'user-dn': text('DN', 'DN of a user, with %s for the login name: binds without a search before'),
  'user-search-base': text('DN', 'where users are'),
  'user-filter': text('FILTER', 'users who may sign in, with %s for the login name'),
  'admin-filter': text('FILTER', 'users who are site administrators'),
  'restricted-filter': text('FILTER', 'users who are restricted'),
  'username-attribute': text('NAME', 'attribute with the login name'),
  'email-attribute': text('NAME', 'attribute with the e-mail address'),
  'full-name-attribute': text('NAME', 'attribute with the full name'),
  'public-ssh-key-attribute': text('NAME', 'attribute with SSH public keys'),
  'subject-attribute': text('NAME', 'attribute that never changes, such as entryUUID or objectGUID'),
  'group-search-base': text('DN', 'where groups are'),
  'group-filter': text('FILTER', 'which entries are groups'),
  'group-member-attribute': text('NAME', 'attribute with the members of a group'),
  'group-member-value': text('NAME', 'value by which groups list a user: dn, or an attribute such as uid'),
  'group-team': {
    type: 'string',
    multiple: true,
    value: 'ORG/TEAM=DN',
    help: 'team for the members of the group DN; may be given several times, and replaces all of them',
  },
  'nested-groups': flag('members of a group in a group are members'),
  'remove-from-teams': flag('take users from these teams who are in no group for them'),
  'create-accounts': flag(
    'create accounts at the first sign-in and by the synchronization; --no-create-accounts does not',
  ),
  synchronize: flag('compare all accounts every night (sync_external_users); --no-synchronize does not'),
  'page-size': text('NUMBER', 'entries in one answer of a synchronization'),
  active: flag('accounts of the source can sign in; --no-active prevents that'),
}

/** Sign-in sources. */
export const authCommands: readonly Command[] = [
  {
    words: 'admin auth list',
    summary: 'List sign-in sources: id, kind, name, state, end of the last synchronization; separated by tabs',
    options: CONFIG_OPTIONS,
    load: async () => (await import('./admin-auth.ts')).listSources,
  },
  {
    words: 'admin auth add-ldap',
    summary: 'Create a sign-in source for an LDAP directory, and print its id',
    options: {
      name: { type: 'string', value: 'NAME', help: 'unique name of the source', required: true },
      ...LDAP_OPTIONS,
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-auth.ts')).addLdap,
  },
  {
    words: 'admin auth update-ldap',
    summary: 'Change a sign-in source for an LDAP directory; omitted options do not change',
    options: { id: ID, name: text('NAME', 'unique name of the source'), ...LDAP_OPTIONS, ...CONFIG_OPTIONS },
    load: async () => (await import('./admin-auth.ts')).updateLdap,
  },
  {
    words: 'admin auth delete',
    summary: 'Delete a sign-in source to which no account belongs',
    options: { id: ID, ...CONFIG_OPTIONS },
    load: async () => (await import('./admin-auth.ts')).deleteSource,
  },
  {
    words: 'admin auth test',
    summary: 'Ask a sign-in source, without changing anything; fails when it does not answer as it should',
    options: {
      id: ID,
      login: text('NAME', 'look for this user'),
      'password-file': text('FILE', 'check the password in this file, as at a sign-in'),
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-auth.ts')).testSource,
  },
  {
    words: 'admin auth sync',
    summary: 'Compare the accounts of a sign-in source with its directory now, and print the changes',
    options: { id: ID, ...CONFIG_OPTIONS },
    load: async () => (await import('./admin-auth.ts')).synchronizeSource,
  },
]
