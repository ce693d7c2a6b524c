/** Texts of LDAP that contain what a client sent: escaped, so that it is a value and nothing else. */

/** A value in a filter (RFC 4515). */
export const escapeFilterValue = (value: string): string => value.replaceAll(/[\0()*\\]/g, hexOf)

/** A value in a distinguished name (RFC 4514). */
const escapeDnValue = (value: string): string => value.replaceAll(/[\0"#+,;<=>\\]|^ | $/g, hexOf)

const hexOf = (character: string): string => `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** `%[1]s` is the form of other servers. */
const PLACEHOLDER = /%(?:\[1\])?s/g

export const hasPlaceholder = (template: string): boolean => template.search(PLACEHOLDER) >= 0

export const fillFilter = (template: string, login: string): string =>
  template.replaceAll(PLACEHOLDER, () => escapeFilterValue(login))

/** The filter for the entries of every login name. */
export const openFilter = (template: string): string => template.replaceAll(PLACEHOLDER, '*')

export const fillDn = (template: string, login: string): string =>
  template.replaceAll(PLACEHOLDER, () => escapeDnValue(login))
