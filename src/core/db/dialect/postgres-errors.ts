import { invalid, unavailable } from '../../platform/errors.ts'

const INVALID_TEXT = '22021'
const QUERY_CANCELED = '57014'
/**
 * The server ends, starts, stands by or has no connection left (class 08, 57P and 53300); the system's words for a
 * server that is not there.
 */
const LOST = /^(08...|57P0.|53300|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/
/** What the driver says without a code. */
const LOST_WORDS =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout)/
const NOT_SUPPORTED = '0A000'
const CHANGED_RESULT = /cached plan must not change result type/

/** What is no fault of this program: bad input (PostgreSQL stores no NUL), a server that is lost or takes too long. */
export function explain(error: unknown): never {
  const code = codeOf(error)
  if (code === INVALID_TEXT) throw invalid('[]: a text has a NUL character')
  if (code === QUERY_CANCELED) throw unavailable('the database took too long', error)
  if (isLost(error)) throw unavailable('the database cannot be reached', error)
  throw error
}

/** The connection, or the server behind it, is gone. */
export const isLost = (error: unknown): boolean =>
  LOST.test(codeOf(error)) || (error instanceof Error && LOST_WORDS.test(error.message))

/** Of PostgreSQL or of the system; an attempt at several addresses fails with one error for each. */
export function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  return (first as { code?: string } | undefined)?.code ?? ''
}

/** A migration by another process changed a table that a prepared statement selects all columns of. */
export const isChangedResult = (error: unknown): boolean =>
  codeOf(error) === NOT_SUPPORTED && error instanceof Error && CHANGED_RESULT.test(error.message)
