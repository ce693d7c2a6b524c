import type { Guard } from '../../http/guards/guard.ts'
import { notFound } from '../../platform/errors.ts'

/** Where quotas are off, what is behind the guard is not there for anybody (reference auth-and-access §17). */
export function whereQuotasAre<Access>(isEnabled: boolean, guard: Guard<Access>): Guard<Access> {
  return {
    ...guard,
    looksUpFirst: !isEnabled || guard.looksUpFirst === true,
    resolve(input) {
      if (!isEnabled) throw notFound('quotas are not enabled')
      return guard.resolve(input)
    },
  }
}
