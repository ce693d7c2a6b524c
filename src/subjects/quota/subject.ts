import { invalid } from '../../platform/errors.ts'
import { isQuotaSubject, type QuotaSubject } from './quota.policy.ts'

/** Throws Invalid for what is no subject. */
export function requireSubject(text: string): QuotaSubject {
  if (!isQuotaSubject(text)) throw invalid(`unrecognized quota limit subject: [subject: ${text}]`)
  return text
}
