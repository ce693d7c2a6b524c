import type { Guard } from '../../../core/http/guards/guard.ts'
import { notFound } from '../../../core/platform/errors.ts'

/**
 * Returns the guard itself when quotas are enabled, else a guard that always answers 404
 * (behaviour/auth-and-access#quota).
 */
export function requireQuotas<Access>(isEnabled: boolean, guard: Guard<Access>): Guard<Access> {
  return {
    ...guard,
    hideBeforeAuth: !isEnabled || guard.hideBeforeAuth === true,
    resolve(input) {
      if (!isEnabled) throw notFound('quotas are not enabled')
      return guard.resolve(input)
    },
  }
}
