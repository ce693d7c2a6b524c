import { Secret, TOTP } from 'otpauth'

const STEP_SECONDS = 30
/** Steps on either side whose codes are accepted too, because clocks differ and people type slowly (RFC 6238 §5.2). */
const DRIFT = 1

/** The number of a time step; each has one code. */
export const totpStep = (ms: number): number => TOTP.counter({ period: STEP_SECONDS, timestamp: ms })

/** The code of six digits of a time step (RFC 6238). */
export const totpCode = (secret: Uint8Array, step: number): string =>
  totpOf(secret).generate({ timestamp: timestampOf(step) })

/** The step near now with this code; undefined for a wrong one. */
export function findTotpStep(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  // NOTE: the library throws for characters of several bytes.
  if (!/^\d{6}$/.test(code)) return undefined
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: DRIFT })
  return delta === null ? undefined : totpStep(nowMs) + delta
}

const totpOf = (secret: Uint8Array): TOTP =>
  new TOTP({ secret: new Secret({ buffer: new Uint8Array(secret).buffer }), period: STEP_SECONDS })
const timestampOf = (step: number): number => step * STEP_SECONDS * 1000
