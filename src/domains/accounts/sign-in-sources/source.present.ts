import { wireTime } from '../../../core/platform/clock.ts'
import type { AuthSource } from './source.model.ts'
import type { SourceKind } from './source-kind.ts'
import type { SignInSource } from './sources.service.ts'

/** Without secrets: a member `has_<secret>` tells whether there is one. */
export function presentSource(source: SignInSource, secrets: readonly string[]): AuthSource {
  const { id, name, kind, isActive, createdAt, updatedAt, settings } = source
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
    ...shown,
  }
}

const withoutSecrets = (settings: object, secrets: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]): [string, unknown] =>
      secrets.includes(key) ? [`has_${key}`, value !== ''] : [key, value],
    ),
  )
