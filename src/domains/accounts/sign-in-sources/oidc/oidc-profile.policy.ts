import { type ExternalProfile, fullNameOf, type TeamName } from '../external-profile.ts'
import type { OidcSettings } from './oidc.model.ts'

/** The claims of a provider about a person. */
export type Claims = Readonly<Record<string, unknown>>

export interface OidcProfile extends ExternalProfile {
  /** Whether the settings let the person in. */
  readonly isAllowed: boolean
  /** Whether the settings give the person an account. */
  readonly mayRegister: boolean
}

const MAX_TEXT = 255
const MAX_GROUPS = 5000

/** Undefined without a subject. An address that is not verified counts as none. */
export function profileOf(settings: OidcSettings, claims: Claims): OidcProfile | undefined {
  const subject = textOf(claims[settings.subject_claim])
  if (subject === '' || subject.length > MAX_TEXT) return undefined
  const given = shortText(claims[settings.email_claim])
  const isVerified = claims['email_verified'] === true || claims['email_verified'] === 'true'
  const email = isVerified || settings.trust_email ? given : ''
  const groups = groupsOf(claims[settings.groups_claim])
  const isIn = (wanted: readonly string[]): boolean => wanted.some((group) => groups.has(group))
  return {
    subject,
    loginName: shortText(claims[settings.username_claim]) || given || subject,
    email,
    fullName: fullNameOf(shortText(claims[settings.full_name_claim])),
    isAdmin: settings.admin_groups.length > 0 ? isIn(settings.admin_groups) : undefined,
    isRestricted: settings.restricted_groups.length > 0 ? isIn(settings.restricted_groups) : undefined,
    teams: settings.group_teams.length > 0 ? teamsOf(settings, groups) : undefined,
    isAllowed: settings.allowed_groups.length === 0 || isIn(settings.allowed_groups),
    mayRegister: settings.registration === 'on' || (settings.registration === 'domains' && hasDomain(settings, email)),
  }
}

function hasDomain({ allowed_domains: domains }: OidcSettings, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return email.includes('@') && domains.some((allowed) => allowed.toLowerCase().replace(/^@/, '') === domain)
}

function teamsOf({ group_teams: mappings, remove_from_teams: removes }: OidcSettings, groups: ReadonlySet<string>) {
  const join = mappings.filter(({ group }) => groups.has(group))
  const joined = new Set(join.map(keyOf))
  return { join, leave: removes ? mappings.filter((mapping) => !joined.has(keyOf(mapping))) : [] }
}

/** The same for one team: names ignore case. */
const keyOf = ({ organization, team }: TeamName): string => `${organization}/${team}`.toLowerCase()

/** A list of texts, or one text with commas or spaces between them. */
function groupsOf(claim: unknown): ReadonlySet<string> {
  const values = typeof claim === 'string' ? claim.split(/[\s,]+/) : Array.isArray(claim) ? (claim as unknown[]) : []
  return new Set(values.slice(0, MAX_GROUPS).map(textOf).filter(Boolean))
}

/** Providers without OpenID Connect number their accounts. */
const textOf = (claim: unknown): string =>
  typeof claim === 'string' ? claim.trim() : Number.isSafeInteger(claim) ? String(claim) : ''

const shortText = (claim: unknown): string =>
  textOf(claim)
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, MAX_TEXT)
