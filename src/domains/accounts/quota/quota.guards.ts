import type { Guard } from '../../../core/http/guards/guard.ts'
import { notFound } from '../../../core/platform/errors.ts'

/** The same guard when quotas are enabled; else it answers 404 to all callers (behaviour/auth-and-access#quota). */
export function requireQuotas<Access>(isEnabled: boolean, guard: Guard<Access>): Guard<Access> {
  return {
    ...guard,
    looksUpFirst: !isEnabled || guard.looksUpFirst === true,
    resolve(input) {
      if (!isEnabled) throw notFound('quotas are not enabled')
      return guard.resolve(input)
    },
  }
}
