import { createHmac, timingSafeEqual } from 'node:crypto'

const STEP_MS = 30_000
const DIGITS = 6
/** Steps on either side whose codes are taken too: clocks differ and people type slowly (RFC 6238 §5.2). */
const DRIFT = 1

/** The code of a time step: HMAC-SHA-1 and dynamic truncation (RFC 4226 §5.3, RFC 6238). */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac[mac.length - 1]! & 0xf
  const value = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(value % 10 ** DIGITS).padStart(DIGITS, '0')
}

export const totpStep = (ms: number): number => Math.floor(ms / STEP_MS)

/** The step near now whose code this is, or undefined. Takes the same time for every code. */
export function findTotpStep(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const now = totpStep(nowMs)
  let found: number | undefined
  for (let step = now - DRIFT; step <= now + DRIFT; step++) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code))) found = step
  }
  return found
}
