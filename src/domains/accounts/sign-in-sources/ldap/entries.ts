import type { Entry } from 'ldapts'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { fullNameOf } from '../external-profile.ts'
import type { LdapSettings } from './ldap.model.ts'

/** An entry of a directory, with the values that the settings select. */
export interface Person {
  readonly dn: string
  readonly subject: string
  readonly loginName: string
  readonly email: string
  readonly fullName: string
  readonly sshKeys: readonly string[]
  /** The value by which groups list the person. */
  readonly memberValue: string
}

const MAX_KEYS = 50
/** The value is bytes. */
const BINARY = /^objectguid$|;binary$/i

export const attributesOf = (settings: LdapSettings): string[] =>
  [
    settings.username_attribute,
    settings.email_attribute,
    settings.full_name_attribute,
    settings.ssh_key_attribute,
    settings.subject_attribute,
    ...(isDn(settings) ? [] : [settings.group_member_value]),
  ].filter((name) => name !== '')

export const binaryAttributesOf = (settings: LdapSettings): string[] =>
  BINARY.test(settings.subject_attribute) ? [settings.subject_attribute] : []

const isDn = ({ group_member_value: value }: LdapSettings): boolean => value.toLowerCase() === 'dn'

/** Undefined for an entry without a login name. */
export function readPerson(entry: Entry, settings: LdapSettings): Person | undefined {
  const values = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), [value].flat()]))
  const all = (name: string): string[] =>
    (values.get(name.toLowerCase()) ?? []).map((value) =>
      typeof value === 'string' ? value : value.toString(BINARY.test(name) ? 'hex' : 'utf8'),
    )
  const first = (name: string): string => all(name)[0]?.trim() ?? ''
  const loginName = first(settings.username_attribute)
  if (loginName === '' || loginName.length > NAME_LENGTH) return undefined
  return {
    dn: entry.dn,
    subject: first(settings.subject_attribute).slice(0, NAME_LENGTH) || loginName.toLowerCase(),
    loginName,
    email: first(settings.email_attribute),
    fullName: fullNameOf(first(settings.full_name_attribute)),
    sshKeys: settings.ssh_key_attribute === '' ? [] : all(settings.ssh_key_attribute).slice(0, MAX_KEYS),
    memberValue: isDn(settings) ? entry.dn : first(settings.group_member_value),
  }
}
