/** The errors of the system, SQLite and PostgreSQL when nothing more can be written: full disk, quota, file size. */
const CODES = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'SQLITE_FULL',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_SHMSIZE',
  '53100',
])
/** Programs such as git have words only; of a ref that it could not write git does not say why. */
const WORDS = /No space left on device|Disk quota exceeded|File too large|couldn't write '[^']*\.lock'/

/** The message to clients: the request is valid and can be repeated once there is space. */
export const OUT_OF_SPACE = 'the server has no room left on its disk; nothing was changed'

/** True when an error or its cause is a full disk. */
export function isOutOfSpace(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (CODES.has(String((cause as NodeJS.ErrnoException).code)) || WORDS.test(cause.message)) return true
  }
  return false
}
