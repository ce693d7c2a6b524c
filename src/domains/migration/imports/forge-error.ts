import type { OutgoingHead } from '../../../core/platform/outgoing/index.ts'

/**
 * Why a request to a service failed. `auth`: missing, wrong or insufficient credentials; `two-factor`: a one-time
 * password is required; `busy`: rate limit exceeded; `failed`: anything else.
 */
export class ForgeError extends Error {
  readonly kind: 'auth' | 'two-factor' | 'busy' | 'failed'
  /** HTTP status of the answer; 0 without one. */
  readonly status: number

  constructor(kind: ForgeError['kind'], message: string, status = 0) {
    super(message)
    this.name = 'ForgeError'
    this.kind = kind
    this.status = status
  }
}

/** The error for an answer that is neither a success nor a rate limit. */
export function refusal({ status, headers }: OutgoingHead, body: string): ForgeError {
  const wantsOtp =
    Object.keys(headers).some((name) => /^x-[a-z]+-otp$/.test(name)) ||
    /two.?factor|one.?time|\botp\b/i.test(body.slice(0, 1000))
  if (status === 401 && wantsOtp)
    return new ForgeError('two-factor', 'the other server wants a one-time password', status)
  const kind = status === 401 || status === 403 || status === 404 ? 'auth' : 'failed'
  return new ForgeError(kind, `the API of the other server answered with status ${status}`, status)
}

export const busy = (status: number): ForgeError =>
  new ForgeError('busy', 'the other server wants fewer requests', status)
