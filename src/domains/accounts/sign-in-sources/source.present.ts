import { wireTime } from '../../../core/platform/clock.ts'
import type { AuthSource, AuthSourceTest } from './source.model.ts'
import type { TestResult } from './source-test.service.ts'
import type { SourceKind } from './source-kind.ts'
import type { SignInSource } from './sources.service.ts'

/** Omits secrets: a member `has_<secret>` says whether there is one. */
export function presentSource(source: SignInSource, secrets: readonly string[]): AuthSource {
  const { id, name, kind, isActive, createdAt, updatedAt, settings, synchronized } = source
  const shown: Pick<AuthSource, SourceKind> = {
    [kind]: withoutSecrets(settings, secrets) as NonNullable<AuthSource[SourceKind]>,
  }
  return {
    id,
    name,
    kind,
    is_active: isActive,
    created_at: wireTime(createdAt),
    updated_at: wireTime(updatedAt),
    last_sync: synchronized === undefined ? null : presentReport(synchronized),
    ...shown,
  }
}

const withoutSecrets = (settings: object, secrets: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]): [string, unknown] =>
      secrets.includes(key) ? [`has_${key}`, value !== ''] : [key, value],
    ),
  )

function presentReport({ at, report }: NonNullable<SignInSource['synchronized']>): AuthSource['last_sync'] {
  const { isComplete, problems, ...counts } = report
  return { finished_at: wireTime(at), complete: isComplete, ...counts, problems: [...problems] }
}

export function presentTest({ isOk, message, person }: TestResult): AuthSourceTest {
  if (person === undefined) return { ok: isOk, message, person: null }
  const { subject, loginName, email, fullName, isAdmin, isRestricted, sshKeys, teams } = person
  return {
    ok: isOk,
    message,
    person: {
      login_name: loginName,
      subject,
      email,
      full_name: fullName,
      is_admin: isAdmin ?? null,
      is_restricted: isRestricted ?? null,
      ssh_keys: sshKeys === undefined ? null : [...sshKeys],
      teams: teams === undefined ? null : teams.join.map((team) => ({ ...team })),
    },
  }
}
