import type { Guard } from '../../http/guards/guard.ts'
import { notFound } from '../../platform/errors.ts'

/** The same guard where quotas are on; where they are off it is 404 for everybody (behaviour/auth-and-access#quota). */
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
