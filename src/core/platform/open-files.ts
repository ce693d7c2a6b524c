import { readFileSync } from 'node:fs'

/** Where the system does not say. */
const USUAL = 8192

/** Files and connections that this process may have open (getrlimit(2), RLIMIT_NOFILE). */
export function maxOpenFiles(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? USUAL : Number(limit)
  } catch {
    return USUAL
  }
}
