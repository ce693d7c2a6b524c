import { X509Certificate } from 'node:crypto'
import { engineErrors, invalidField } from '../../../../core/platform/errors.ts'
import type { KindRules } from '../kind-rules.ts'
import type { LdapSettings } from './ldap.model.ts'
import { fillFilter, hasPlaceholder } from './ldap-text.ts'

const NAME_OF_ATTRIBUTE = /^[a-zA-Z][\w;-]*$/

/** The rules of LDAP sources (docs/operate/sign-in.md#ldap). */
export const ldapKind: KindRules<LdapSettings> = {
  defaults: {
    host: '',
    port: 0,
    security: 'unencrypted',
    ca_certificates: '',
    bind_dn: '',
    bind_password: '',
    user_dn: '',
    user_search_base: '',
    user_filter: '(&(objectClass=inetOrgPerson)(uid=%s))',
    admin_filter: '',
    restricted_filter: '',
    username_attribute: 'uid',
    email_attribute: 'mail',
    full_name_attribute: 'cn',
    ssh_key_attribute: '',
    subject_attribute: 'entryUUID',
    group_search_base: '',
    group_filter: '(objectClass=groupOfNames)',
    group_member_attribute: 'member',
    group_member_value: 'dn',
    nested_groups: false,
    group_teams: [],
    remove_from_teams: false,
    create_accounts: true,
    synchronize: true,
    page_size: 500,
  },
  secrets: ['bind_password'],
  async check(settings) {
    if (!/^[^\s/@]+$/.test(settings.host)) throw invalidField('Host', 'Host')
    if (settings.user_dn === '' && settings.user_search_base === '') throw engineErrors.fieldRequired('UserSearchBase')
    if (settings.user_dn !== '' && !hasPlaceholder(settings.user_dn)) throw invalidField('UserDn', 'must contain %s')
    if (!hasPlaceholder(settings.user_filter)) throw invalidField('UserFilter', 'must contain %s')
    if (settings.group_teams.length > 0 && settings.group_search_base === '')
      throw engineErrors.fieldRequired('GroupSearchBase')
    await checkFilters(settings)
    checkAttributes(settings)
    checkCertificates(settings.ca_certificates)
  },
}

async function checkFilters(settings: LdapSettings): Promise<void> {
  const { FilterParser } = await import('ldapts')
  const isFilter = (text: string): boolean => {
    try {
      FilterParser.parseString(text)
      return isOneExpression(text)
    } catch {
      return false
    }
  }
  const filters = {
    UserFilter: fillFilter(settings.user_filter, 'x'),
    AdminFilter: settings.admin_filter,
    RestrictedFilter: settings.restricted_filter,
    GroupFilter: settings.group_filter,
  }
  for (const [field, filter] of Object.entries(filters)) {
    if (filter !== '' && !isFilter(filter)) throw invalidField(field, 'LdapFilter')
  }
}

/**
 * NOTE: the parser accepts a missing parenthesis at the end, and text after the end. Values contain `\28` and `\29`.
 */
function isOneExpression(text: string): boolean {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '(') depth++
    if (text[index] === ')') depth--
    if (depth <= 0) return depth === 0 && index === text.length - 1
  }
  return false
}

function checkAttributes(settings: LdapSettings): void {
  const required = {
    UsernameAttribute: settings.username_attribute,
    EmailAttribute: settings.email_attribute,
    FullNameAttribute: settings.full_name_attribute,
    SubjectAttribute: settings.subject_attribute,
    GroupMemberAttribute: settings.group_member_attribute,
    GroupMemberValue: settings.group_member_value,
  }
  for (const [field, name] of Object.entries(required))
    if (!NAME_OF_ATTRIBUTE.test(name)) throw invalidField(field, 'LdapAttribute')
  if (settings.ssh_key_attribute !== '' && !NAME_OF_ATTRIBUTE.test(settings.ssh_key_attribute))
    throw invalidField('SshKeyAttribute', 'LdapAttribute')
}

function checkCertificates(pem: string): void {
  if (pem === '') return
  try {
    for (const block of pem.split(/(?<=-----END CERTIFICATE-----)\s*/).filter((text) => text.trim() !== ''))
      // oxlint-disable-next-line no-new -- throws for an invalid certificate
      new X509Certificate(block)
  } catch {
    throw invalidField('CaCertificates', 'Pem')
  }
}
