import type { KindRules } from './kind-rules.ts'
import type { LdapSettings } from './ldap/ldap.model.ts'
import { ldapKind } from './ldap/ldap-kind.ts'
import type { OidcSettings } from './oidc/oidc.model.ts'
import { oidcKind } from './oidc/oidc-kind.ts'

/** The settings of each kind of sign-in source, as stored and as on the wire. */
export interface SettingsByKind {
  ldap: LdapSettings
  oidc: OidcSettings
}

export type SourceKind = keyof SettingsByKind

export const sourceKinds: { readonly [Kind in SourceKind]: KindRules<SettingsByKind[Kind]> } = {
  ldap: ldapKind,
  oidc: oidcKind,
}

export const isSourceKind = (text: string): text is SourceKind => Object.hasOwn(sourceKinds, text)
