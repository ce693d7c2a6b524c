import type { Guard } from '../../http/guards/guard.ts'
import { forbidden } from '../../platform/errors.ts'

/** 403 on everything about stars where the site has turned them off. */
export function whenStarsAreOn<Access>(guard: Guard<Access>, isOff: boolean): Guard<Access> {
  if (!isOff) return guard
  return {
    ...guard,
    decide: () => {
      throw forbidden('stars disabled by administrator')
    },
  }
}
